import type { Metadata } from 'next';
import Link from 'next/link';
import { notFound } from 'next/navigation';
import { getTranslations } from 'next-intl/server';
import { checkSentence } from '#lib/drill/check-sentence.ts';
import type { Check } from '#lib/drill/model.ts';
import { proposeFromRun } from '#lib/operations/propose-scenario.ts';
import { toResult } from '#lib/operations/result.ts';
import { readDraft, TEXT_FIELDS, type TextField } from './draft.ts';
import { SaveForm } from './save-form.tsx';

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations('save'))('title') };
}

function sentencesOf(yaml: string): Record<string, string> {
  const checks = readDraft(yaml)?.checks ?? [];
  return Object.fromEntries(checks.map((check) => [check, checkSentence(JSON.parse(check) as Check)]));
}

export default async function SavePage({ params }: { params: Promise<{ runId: string }> }) {
  const { runId } = await params;
  const t = await getTranslations('save');
  const proposal = await toResult(async () => proposeFromRun(runId));
  if (!proposal.ok && (proposal.code === 'not-found' || proposal.code === 'usage')) notFound();
  const names = [
    'id',
    'steps',
    'label',
    'expect',
    'checks',
    'noYaml',
    'yaml',
    'valid',
    'checking',
    'keep',
    'replace',
    'download',
    'kept',
    'open',
  ] as const;
  const words = Object.fromEntries(names.map((name) => [name, t(name)])) as Record<
    (typeof names)[number],
    string
  >;
  const text = Object.fromEntries(TEXT_FIELDS.map((name) => [name, t(`text.${name}`)])) as Record<
    TextField,
    string
  >;
  return (
    <div className="mx-auto max-w-[1376px] px-4 pt-6 pb-20 sm:px-7 sm:pt-8">
      <p className="text-[13px] text-faint">
        <Link href={`/runs/${runId}`} className="link">
          {t('back')}
        </Link>
      </p>
      <h1 className="my-1 text-[24px] font-[660] tracking-tight sm:text-[28px]">{t('title')}</h1>
      <p className="mb-5 text-soft">{t('lead')}</p>
      {proposal.ok ? (
        <SaveForm
          proposed={proposal.yaml}
          texts={{
            ...words,
            text,
            sentences: sentencesOf(proposal.yaml),
            place: t('place', { line: 'LINE', column: 'COLUMN' }),
          }}
        />
      ) : (
        <p role="alert" className="text-crash">
          {proposal.error}
        </p>
      )}
    </div>
  );
}
