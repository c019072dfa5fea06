/** Languages that `messages/` has; English is the one that everything falls back to. */
export const LOCALES = ['en'] as const;
export type Locale = (typeof LOCALES)[number];
export const LOCALE_COOKIE = 'locale';

/** The language that a stored choice stands for; English for anything unknown. */
export function toLocale(value: string | undefined): Locale {
  return LOCALES.find((locale) => locale === value) ?? 'en';
}
