'use server';

import { cookies } from 'next/headers';
import { THEME_COOKIE, toTheme } from './preferences.ts';

/** Remembers the theme for a year. Anything unknown means Auto. */
export async function setTheme(form: FormData): Promise<void> {
  const maxAge = 365 * 24 * 60 * 60;
  (await cookies()).set(THEME_COOKIE, toTheme(form.get('theme')), { maxAge, sameSite: 'lax', path: '/' });
}
