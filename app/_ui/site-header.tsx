import Link from 'next/link';
import { getTranslations } from 'next-intl/server';
import { NavLink } from './nav-link.tsx';
import { setTheme } from './preference-actions.ts';
import { THEMES, type Theme } from './preferences.ts';

const PAGES = [
  { href: '/', name: 'scenarios', under: '/scenarios' },
  { href: '/runs', name: 'runs', under: '/runs' },
  { href: '/matrix', name: 'matrix', under: '/matrix' },
  { href: '/investigations', name: 'investigations', under: '/investigations' },
  { href: '/environment', name: 'environment', under: '/environment' },
] as const;

const ICONS: Record<Theme, string> = {
  auto: 'M8 1.2a6.8 6.8 0 1 0 0 13.6A6.8 6.8 0 0 0 8 1.2zm0 1.4a5.4 5.4 0 0 1 0 10.8z',
  light:
    'M8 4.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7zM7.3 0h1.4v2.6H7.3zM7.3 13.4h1.4V16H7.3zM0 7.3h2.6v1.4H0zM13.4 7.3H16v1.4h-2.6zM2 3l1-1 1.9 1.9-1 1zM11.1 12.1l1-1L14 13l-1 1zM12.1 4.9l-1-1L13 2l1 1zM3 14l-1-1 1.9-1.9 1 1z',
  dark: 'M6.2 1.4a6.6 6.6 0 1 0 8.4 8.4A5.6 5.6 0 0 1 6.2 1.4z',
};

/** Brand, pages and theme: the same on every page. */
export async function SiteHeader({ theme }: { theme: Theme }) {
  const t = await getTranslations('site');
  return (
    <header className="no-print border-b border-line bg-panel">
      <div className="mx-auto flex min-h-13 max-w-[1376px] flex-wrap items-center gap-x-6 px-4 py-2 sm:px-7">
        <Link href="/" className="font-[650] tracking-tight">
          {t('name')}
        </Link>
        <nav
          aria-label={t('pages')}
          className="order-last -mx-2 flex w-full flex-wrap text-sm sm:order-none sm:w-auto"
        >
          {PAGES.map(({ href, name, under }) => (
            <NavLink key={href} href={href} under={under}>
              {t(name)}
            </NavLink>
          ))}
        </nav>
        <form action={setTheme} className="ml-auto">
          <fieldset className="flex rounded-lg border border-line p-0.5">
            <legend className="sr-only">{t('theme')}</legend>
            {THEMES.map((choice) => (
              <button
                key={choice}
                type="submit"
                name="theme"
                value={choice}
                aria-pressed={choice === theme}
                title={t(choice)}
                className="grid size-7 place-items-center rounded-md text-faint hover:text-ink aria-pressed:bg-line-soft aria-pressed:text-ink"
              >
                <svg aria-hidden="true" viewBox="0 0 16 16" className="size-3.5" fill="currentColor">
                  <path fillRule="evenodd" d={ICONS[choice]} />
                </svg>
                <span className="sr-only">{t(choice)}</span>
              </button>
            ))}
          </fieldset>
        </form>
      </div>
    </header>
  );
}
