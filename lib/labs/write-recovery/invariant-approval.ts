/** Every change of ours was approved: what was made, against the approval that its own executor was given. */
import { isObject, type JsonObject } from '../../core/json.ts';
import type { StepRecord } from '../../drill/model.ts';
import type { Evidence, TruthChange } from '../../evidence/model.ts';
import type { Judgement } from '../contract.ts';
import { approvalDigest, givenDigest } from './approval.ts';
import { judge, plural } from './judging.ts';
import { CREATE_TOOL, DEFAULT_CONTEXT, DEFAULT_RUN, VOID_TOOL } from './words.ts';

type History = readonly StepRecord[];

/** The step whose executor was at work: a release goes back to the step that it lets go on. */
function origin(history: History, at: number): StepRecord | undefined {
  let record = history[at];
  while (record?.spec.release) {
    const label = record.spec.release;
    record = history.find((candidate) => candidate.label === label);
  }
  return record;
}

/** The step in which the ground truth's change number `index` first appeared. */
function makerOf(history: History, index: number): StepRecord | undefined {
  const at = history.findIndex((record) => (record.evidence?.truth.length ?? 0) > index);
  return at === -1 ? undefined : origin(history, at);
}

function matches(args: JsonObject, { from, to }: TruthChange): boolean {
  const { tenant, principal, policyVersion } = isObject(args.context) ? args.context : { ...DEFAULT_CONTEXT };
  if (!isObject(to)) return false;
  const action = {
    source: String(to.source),
    title: String(to.title),
    tool: from === null ? CREATE_TOOL : VOID_TOOL,
  };
  const context = {
    tenant: String(tenant),
    principal: String(principal),
    policyVersion: Number(policyVersion),
  };
  return givenDigest(args.approval) === approvalDigest(context, String(args.run ?? DEFAULT_RUN), action);
}

/** Recomputed from what was submitted and what was made; no record of the executor is believed. */
export function approvedDispatch(evidence: Evidence, history: History): Judgement {
  const ours = evidence.truth
    .map((change, index) => ({ change, index }))
    .filter(({ change }) => change.operation);
  for (const { change, index } of ours) {
    const maker = makerOf(history, index);
    if (maker && !matches(maker.args, change)) {
      return judge(false, `${change.target} by step ${maker.label}, no approval of exactly this`);
    }
  }
  return judge(true, `${plural(ours.length, 'effect')}, each approved`);
}
