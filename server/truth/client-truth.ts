import type { ClientReport, ClientState } from '@/lib/observation/client-state';
import { resourceKey } from '@/lib/observation/client-state';
import { compareResourceKeys } from '@/lib/observation/compare-resource-keys';
import type { ResourceKey, ResourceState } from '@/lib/observation/observation';
import { sortInSteps } from '@/lib/steps/sort-in-steps';
import { itemsPerStep, type Steps } from '@/lib/steps/steps';
import { findFirstHop, type IsSameContent, type TruthVerdict } from '@/lib/view-model/truth/find-first-hop';
import type { TruthPlace, TruthWords } from '@/lib/view-model/truth/truth-word';
import type { HashPair } from '../diff/differ';

/** Who speaks at each place. */
export type TruthReports = Readonly<Record<TruthPlace, ClientReport | undefined>>;

export interface TruthLine {
  readonly key: ResourceKey;
  readonly words: TruthWords;
  readonly verdict: TruthVerdict;
}

/** One line for each resource that the client or the control plane names, and the bodies that have to be compared. */
export function* buildTruthLines(
  reports: TruthReports,
): Steps<{ readonly lines: TruthLine[]; readonly pairs: HashPair[] }> {
  const lines: TruthLine[] = [];
  const pairs: HashPair[] = [];
  const add = (state: ResourceState): boolean => {
    const words = wordsOf(reports, resourceKey(state));
    const isSame: IsSameContent = (left, right) => {
      pairs.push({ typeUrl: state.typeUrl, left, right });
      return false;
    };
    const key = { typeUrl: state.typeUrl, name: state.name };
    lines.push({ key, words, verdict: findFirstHop(words, isSame) });
    return lines.length % itemsPerStep === 0;
  };
  const { client, controlPlane } = reports;
  for (const state of client?.resources.values() ?? []) if (add(state)) yield;
  for (const [key, state] of controlPlane?.resources ?? []) {
    if (client?.resources.has(key) !== true && add(state)) yield;
  }
  return { lines, pairs };
}

/** With what the comparison of bodies found; what differs first. */
export function* settleTruthLines(
  lines: readonly TruthLine[],
  isSameOf: (typeUrl: string) => IsSameContent,
): Steps<TruthLine[]> {
  const settled: TruthLine[] = [];
  for (const line of lines) {
    const isOpen = line.verdict.hop !== null;
    settled.push(isOpen ? { ...line, verdict: findFirstHop(line.words, isSameOf(line.key.typeUrl)) } : line);
    if (settled.length % itemsPerStep === 0) yield;
  }
  return yield* sortInSteps(
    settled,
    (a, b) =>
      Number(a.verdict.hop === null) - Number(b.verdict.hop === null) || compareResourceKeys(a.key, b.key),
  );
}

function wordsOf({ sotw, delta, controlPlane, client }: TruthReports, key: string): TruthWords {
  const wordOf = (report: ClientReport | undefined) =>
    report === undefined ? null : (report.resources.get(key) ?? ('unnamed' as const));
  return {
    sotw: wordOf(sotw),
    delta: wordOf(delta),
    controlPlane: wordOf(controlPlane),
    client: wordOf(client),
  };
}

/** How many of the client's resources a probe holds: it asks the server that the client has them from, or another one. */
export function* countHeld(client: ClientState, probe: ClientReport): Steps<number> {
  let held = 0;
  let looked = 0;
  for (const { resources } of client.reports.values()) {
    for (const key of resources.keys()) {
      if (probe.resources.has(key)) held += 1;
      looked += 1;
      if (looked % itemsPerStep === 0) yield;
    }
  }
  return held;
}
