/** Text in several languages; English is always there. */
export type Text = { en: string } & { [locale: string]: string };
