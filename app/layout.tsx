import type { Metadata, Viewport } from 'next';
import { cookies } from 'next/headers';
import { getLocale, getTranslations } from 'next-intl/server';
import type { ReactNode } from 'react';
import { KeysHelp } from './_ui/keys-help.tsx';
import { THEME_COOKIE, toTheme } from './_ui/preferences.ts';
import { SiteHeader } from './_ui/site-header.tsx';
import './globals.css';

export const viewport: Viewport = {
  width: 'device-width',
  initialScale: 1,
  themeColor: [
    { media: '(prefers-color-scheme: light)', color: '#ffffff' },
    { media: '(prefers-color-scheme: dark)', color: '#161920' },
  ],
};

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('site');
  return { title: { default: t('name'), template: `%s · ${t('name')}` }, description: t('description') };
}

export default async function RootLayout({ children }: { children: ReactNode }) {
  const theme = toTheme((await cookies()).get(THEME_COOKIE)?.value);
  const [locale, t] = await Promise.all([getLocale(), getTranslations('site')]);
  return (
    <html lang={locale} data-theme={theme}>
      <body className="min-h-dvh font-sans">
        <a
          href="#main"
          className="button absolute top-1.5 left-2 z-10 -translate-y-16 focus-visible:translate-y-0"
        >
          {t('skip')}
        </a>
        <SiteHeader theme={theme} />
        <main id="main" tabIndex={-1} className="outline-none">
          {children}
        </main>
        <KeysHelp />
      </body>
    </html>
  );
}
