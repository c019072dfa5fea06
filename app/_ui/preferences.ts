/** What a browser remembers of its person, in cookies. */
export const THEMES = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];
export const THEME_COOKIE = 'theme';
/** Ends with the browser's session: whoever skips the questions skips them for today. */
export const QUESTIONS_COOKIE = 'questions';

export function toTheme(value: unknown): Theme {
  return THEMES.find((theme) => theme === value) ?? 'auto';
}
