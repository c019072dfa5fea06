import type { Metadata } from 'next';
import Link from 'next/link';
import { getTranslations } from 'next-intl/server';

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations('notFound'))('title') };
}

export default async function NotFound() {
  const t = await getTranslations('notFound');
  return (
    <div className="mx-auto max-w-[720px] px-4 pt-16 pb-24 sm:px-7">
      <h1 className="text-[28px] font-[660] tracking-tight">{t('title')}</h1>
      <p className="mt-2 mb-6 text-soft">{t('body')}</p>
      <div className="flex flex-wrap gap-2">
        <Link href="/" className="button button-main">
          {t('scenarios')}
        </Link>
        <Link href="/runs" className="button">
          {t('runs')}
        </Link>
      </div>
    </div>
  );
}
