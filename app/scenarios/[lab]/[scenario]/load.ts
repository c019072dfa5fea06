import { notFound } from 'next/navigation';
import type { Scenario } from '#lib/drill/model.ts';
import type { Lab } from '#lib/labs/contract.ts';
import { getLab } from '#lib/labs/registry.ts';
import { findScenario } from '#lib/operations/own-scenarios.ts';

export interface ScenarioParams {
  params: Promise<{ lab: string; scenario: string }>;
}

/** The scenario that an address names, with its lab; the page that says so where there is none. */
export async function loadScenario({ params }: ScenarioParams): Promise<{ scenario: Scenario; lab: Lab }> {
  const { lab, scenario } = await params;
  try {
    const found = findScenario(`${lab}/${scenario}`);
    return { scenario: found, lab: getLab(found.lab) };
  } catch (error) {
    if ((error as { code?: unknown }).code === 'not-found') notFound();
    throw error;
  }
}
