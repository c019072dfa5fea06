import { cookies } from 'next/headers';
import { getRequestConfig } from 'next-intl/server';
import { LOCALE_COOKIE, toLocale } from './locale.ts';

// Asking for it takes some milliseconds, each time anew.
const { timeZone } = Intl.DateTimeFormat().resolvedOptions();

/** Language and texts of a request; next-intl calls this once a request. */
export default getRequestConfig(async () => {
  const locale = toLocale((await cookies()).get(LOCALE_COOKIE)?.value);
  const messages = (await import(`../../messages/${locale}.json`)).default;
  return { locale, messages, timeZone };
});
