import type { Text } from '#lib/core/text.ts';

/** Languages that `messages/` has; English is the one that everything falls back to. */
export const LOCALES = ['en'] as const;
export type Locale = (typeof LOCALES)[number];
export const LOCALE_COOKIE = 'locale';

/** The language that a stored choice stands for; English for anything unknown. */
export function toLocale(value: string | undefined): Locale {
  return LOCALES.find((locale) => locale === value) ?? 'en';
}

/** A text that came with a lab or a scenario, in the page's language where it has that. */
export function textOf(text: Text, locale: string): string {
  return text[locale] ?? text.en;
}

/** The part of a scenario's text in the page's language, English where it has none. */
export function inLocale<T>(text: { en: T } & { [locale: string]: T }, locale: string): T {
  return text[locale] ?? text.en;
}
