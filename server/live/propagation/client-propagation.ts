import { sortInSteps } from '@/lib/cooperative/sort-in-steps';
import { itemsPerStep, type Steps } from '@/lib/cooperative/steps';
import { type ClientReport, type ClientState, resourceKey } from '@/lib/observation/client-state';
import { compareResourceKeys } from '@/lib/observation/compare-resource-keys';
import type { ResourceKey, ResourceState } from '@/lib/observation/resource-state';
import { findOriginalVantage } from '@/lib/observation/vantage';
import {
  findFirstMismatch,
  type IsSameContent,
  type NodesOfPlaces,
  type PropagationVerdict,
} from '@/lib/sync/find-first-mismatch';
import type { PropagationPlace, PropagationStates } from '@/lib/sync/propagation-state';
import { EDS } from '@/lib/xds/resource-type';
import type { HashPair } from '../../compute/diff/diff-jobs';

export type PropagationReports = Readonly<Record<PropagationPlace, ClientReport | undefined>>;

type PairOf = (left: string, right: string, to: PropagationPlace) => HashPair;

export interface PropagationLine {
  readonly key: ResourceKey;
  readonly states: PropagationStates;
  /** The bodies to compare, of which the right one is at the place `to`. */
  readonly pairOf: PairOf;
  readonly verdict: PropagationVerdict;
}

/** Yields a line for each resource that client or control plane report, and the pairs of bodies to compare. */
export function* buildPropagationLines(
  reports: PropagationReports,
  nodes: NodesOfPlaces,
): Steps<{ readonly lines: PropagationLine[]; readonly pairs: HashPair[] }> {
  const lines: PropagationLine[] = [];
  const pairs: HashPair[] = [];
  const add = (state: ResourceState): boolean => {
    const states = statesOf(reports, resourceKey(state));
    const pairOf = pairsOf(state.typeUrl, states, reports);
    const isSame: IsSameContent = (left, right, to) => {
      pairs.push(pairOf(left, right, to));
      return false;
    };
    const key = { typeUrl: state.typeUrl, name: state.name };
    lines.push({ key, states, pairOf, verdict: findFirstMismatch(states, isSame, nodes) });
    return lines.length % itemsPerStep === 0;
  };
  const { client, controlPlane } = reports;
  for (const state of client?.resources.values() ?? []) if (add(state)) yield;
  for (const [key, state] of controlPlane?.resources ?? []) {
    if (client?.resources.has(key) !== true && add(state)) yield;
  }
  return { lines, pairs };
}

/** Adds the result of the comparison of bodies; lines that differ are first, then those that differ for another node. */
export function* comparePropagationLines(
  lines: readonly PropagationLine[],
  isSame: (pair: HashPair) => boolean,
  nodes: NodesOfPlaces,
): Steps<PropagationLine[]> {
  const settled: PropagationLine[] = [];
  for (const line of lines) {
    const isOpen = line.verdict.hop !== null;
    const { states, pairOf } = line;
    const isSameAt: IsSameContent = (left, right, to) => isSame(pairOf(left, right, to));
    settled.push(isOpen ? { ...line, verdict: findFirstMismatch(states, isSameAt, nodes) } : line);
    if (settled.length % itemsPerStep === 0) yield;
  }
  return yield* sortInSteps(settled, (a, b) => rankOf(a) - rankOf(b) || compareResourceKeys(a.key, b.key));
}

function rankOf({ verdict: { hop } }: PropagationLine): number {
  if (hop === null) return 2;
  return hop.isOfOtherNode ? 1 : 0;
}

/** The endpoints in the config dump of an Envoy, which has no version of them, are not the payload that it received. */
function pairsOf(typeUrl: string, { client }: PropagationStates, reports: PropagationReports): PairOf {
  const vantage = reports.client && findOriginalVantage(reports.client);
  const isDump = vantage === 'envoy-admin' || vantage === 'dump';
  const hasNoVersion = client !== null && client !== 'unnamed' && client.versionInfo === '';
  const isWritten = typeUrl === EDS.typeUrl && isDump && hasNoVersion;
  return (left, right, to) => ({
    ...{ typeUrl, left, right },
    ...(isWritten && to === 'client' && { isOfDump: true as const }),
  });
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
