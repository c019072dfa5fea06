/** A real run and its bundle, for tests. */
import type { TestContext } from 'node:test';
import { readArchive, writeArchive } from '../drill/bundle/archive.ts';
import { MANIFEST, type Manifest } from '../drill/bundle/model.ts';
import { type BundleSource, makeBundle } from '../drill/bundle/write.ts';
import type { Scenario } from '../drill/model.ts';
import { runScenario } from '../drill/run.ts';
import { getScenario } from '../drill/scenario.ts';
import { getLab } from '../labs/registry.ts';
import { sha256 } from './sha256.ts';
import { tempDir } from './temp-dir.ts';

/** Runs a scenario for real and tells it as the source of a bundle. */
export async function runCase(
  t: TestContext,
  which: string | Scenario,
  changes: Partial<BundleSource> = {},
): Promise<BundleSource> {
  const scenario = typeof which === 'string' ? getScenario(which) : which;
  const dir = tempDir(t);
  const lab = getLab(scenario.lab);
  const without = scenario.without ?? [];
  const { records } = await runScenario(lab, scenario, { dir });
  return {
    lab,
    id: 'r00000000000000000000',
    title: scenario.text.title,
    createdAt: '2026-01-02T03:04:05.000Z',
    origin: null,
    scenario,
    without,
    records,
    predictions: [],
    dir,
    ...changes,
  };
}

/** The bundle of a real run. */
export async function caseBundle(t: TestContext, which: string | Scenario): Promise<Buffer> {
  return makeBundle(await runCase(t, which));
}

/**
 * A bundle with some of its files changed, and a manifest that agrees with them: what somebody makes who knows the
 * format.
 */
export async function forge(
  bundle: Buffer,
  change: (files: Map<string, Buffer>, manifest: Manifest) => void,
): Promise<Buffer> {
  const files = await readArchive(bundle);
  const manifest = JSON.parse(String(files.get(MANIFEST))) as Manifest;
  files.delete(MANIFEST);
  change(files, manifest);
  manifest.files = Object.fromEntries(
    [...files].map(([name, content]) => [name, { bytes: content.length, sha256: sha256(content) }]),
  );
  return writeArchive(new Map([[MANIFEST, Buffer.from(JSON.stringify(manifest))], ...files]));
}
