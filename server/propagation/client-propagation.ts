import { type ClientReport, type ClientState, resourceKey } from '@/lib/observation/client-state';
import { compareResourceKeys } from '@/lib/observation/compare-resource-keys';
import type { ResourceKey, ResourceState } from '@/lib/observation/resource-state';
import { sortInSteps } from '@/lib/steps/sort-in-steps';
import { itemsPerStep, type Steps } from '@/lib/steps/steps';
import {
  findFirstMismatch,
  type IsSameContent,
  type PropagationVerdict,
} from '@/lib/sync/find-first-mismatch';
import type { PropagationPlace, PropagationStates } from '@/lib/sync/propagation-state';
import type { HashPair } from '../diff/diff-jobs';

export type PropagationReports = Readonly<Record<PropagationPlace, ClientReport | undefined>>;

export interface PropagationLine {
  readonly key: ResourceKey;
  readonly states: PropagationStates;
  readonly verdict: PropagationVerdict;
}

/** Yields a line for each resource that client or control plane report, and the pairs of bodies to compare. */
export function* buildPropagationLines(
  reports: PropagationReports,
): Steps<{ readonly lines: PropagationLine[]; readonly pairs: HashPair[] }> {
  const lines: PropagationLine[] = [];
  const pairs: HashPair[] = [];
  const add = (state: ResourceState): boolean => {
    const states = statesOf(reports, resourceKey(state));
    const isSame: IsSameContent = (left, right) => {
      pairs.push({ typeUrl: state.typeUrl, left, right });
      return false;
    };
    const key = { typeUrl: state.typeUrl, name: state.name };
    lines.push({ key, states, verdict: findFirstMismatch(states, isSame) });
    return lines.length % itemsPerStep === 0;
  };
  const { client, controlPlane } = reports;
  for (const state of client?.resources.values() ?? []) if (add(state)) yield;
  for (const [key, state] of controlPlane?.resources ?? []) {
    if (client?.resources.has(key) !== true && add(state)) yield;
  }
  return { lines, pairs };
}

/** Adds the result of the comparison of bodies; lines that differ are first. */
export function* comparePropagationLines(
  lines: readonly PropagationLine[],
  isSameOf: (typeUrl: string) => IsSameContent,
): Steps<PropagationLine[]> {
  const settled: PropagationLine[] = [];
  for (const line of lines) {
    const isOpen = line.verdict.hop !== null;
    settled.push(
      isOpen ? { ...line, verdict: findFirstMismatch(line.states, isSameOf(line.key.typeUrl)) } : line,
    );
    if (settled.length % itemsPerStep === 0) yield;
  }
  return yield* sortInSteps(
    settled,
    (a, b) =>
      Number(a.verdict.hop === null) - Number(b.verdict.hop === null) || compareResourceKeys(a.key, b.key),
  );
}

function statesOf({ sotw, delta, controlPlane, client }: PropagationReports, key: string): PropagationStates {
  const stateOf = (report: ClientReport | undefined) =>
    report === undefined ? null : (report.resources.get(key) ?? ('unnamed' as const));
  return {
    sotw: stateOf(sotw),
    delta: stateOf(delta),
    controlPlane: stateOf(controlPlane),
    client: stateOf(client),
  };
}

/** Returns the number of the client's resources that a probe holds, which shows whether both use the same server. */
export function* countHeld(client: ClientState, probe: ClientReport): Steps<number> {
  let held = 0;
  let visited = 0;
  for (const { resources } of client.reports.values()) {
    for (const key of resources.keys()) {
      if (probe.resources.has(key)) held += 1;
      visited += 1;
      if (visited % itemsPerStep === 0) yield;
    }
  }
  return held;
}
