import type { Metadata } from 'next';
import { getTranslations } from 'next-intl/server';
import { ImportForm } from './import-form.tsx';

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations('import'))('title') };
}

export default async function ImportPage() {
  const t = await getTranslations('import');
  return (
    <div className="mx-auto max-w-[760px] px-4 pt-6 pb-20 sm:px-7 sm:pt-8">
      <h1 className="text-[24px] font-[660] tracking-tight sm:text-[28px]">{t('title')}</h1>
      <p className="mt-1 mb-5 text-soft">{t('lead')}</p>
      <ImportForm
        texts={{
          file: t('file'),
          submit: t('submit'),
          working: t('working'),
          choose: t('choose'),
          broken: t('broken'),
        }}
      />
      <p className="mt-6 text-sm text-soft">{t('commandLine')}</p>
      <pre className="mt-1 text-sm whitespace-pre-wrap">npm run --silent drill -- replay case.zip</pre>
    </div>
  );
}
