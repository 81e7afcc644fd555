import { holdsEndpoints } from '../../resolve/endpoint-use';
import type { Change, ChangeTarget } from './change';
import { conditionCode, type EndpointCondition } from './endpoint-condition';
import { type EndpointTable, endpointsOfLocality, localitiesOfPriority } from './endpoint-table';
import { asGrpc, type SimulatorState } from './simulator-state';

/** Seconds until a slow endpoint is connected: longer than the failover timer. */
export const slowConnectSeconds = 15;

interface Applied {
  readonly state: SimulatorState;
  readonly missed: readonly Change[];
}

/** Copies the arrays that it changes. */
export function applyChanges(
  table: EndpointTable,
  before: SimulatorState,
  changes: readonly Change[],
  now: number,
): Applied {
  if (changes.length === 0) return { state: before, missed: [] };
  const conditions = before.conditions.slice();
  const changedAt = before.changedAt.slice();
  const readyAt = before.readyAt.slice();
  const failsUntil = before.failsUntil.slice();
  const weights = [...before.weights];
  let overprovisioningFactor = before.overprovisioningFactor;
  const missed: Change[] = [];
  for (const change of changes) {
    if (change.kind === 'factor') {
      overprovisioningFactor = change.percent;
      continue;
    }
    let found = 0;
    for (const locality of findLocalities(table, change.target)) {
      if (change.kind === 'weight') {
        weights[locality] = change.weight;
        found += 1;
      } else found += setConditions(locality, change.target.address, change.to);
    }
    if (found === 0) missed.push(change);
  }
  const next = { ...before, conditions, changedAt, readyAt, failsUntil, weights, overprovisioningFactor };
  return { state: { ...next, held: holdEndpoints(table, before, next) }, missed };

  function setConditions(locality: number, address: string | undefined, to: EndpointCondition): number {
    const [from, end] = endpointsOfLocality(table, locality);
    const endpoints = table.localities[locality]?.endpoints ?? [];
    let found = 0;
    for (let at = from; at < end; at++) {
      if (address !== undefined && endpoints[at - from]?.address !== address) continue;
      found += 1;
      setCondition(at, to);
    }
    return found;
  }

  function setCondition(at: number, to: EndpointCondition): void {
    const was = conditions[at];
    if (was === conditionCode[to]) return;
    const failedFor = was === conditionCode.dead ? now - (changedAt[at] ?? now) : null;
    conditions[at] = conditionCode[to];
    changedAt[at] = now;
    if (to === 'dead') readyAt[at] = Number.POSITIVE_INFINITY;
    else {
      const delay =
        (failedFor === null ? 0 : untilNextAttempt(failedFor)) + (to === 'slow' ? slowConnectSeconds : 0);
      readyAt[at] = now + delay;
    }
    failsUntil[at] = failedFor === null || to === 'dead' ? 0 : (readyAt[at] ?? 0);
  }
}

function* findLocalities(table: EndpointTable, { priority, locality }: ChangeTarget): Generator<number> {
  const isOne = priority !== undefined;
  const [from, end] = isOne ? localitiesOfPriority(table, priority) : [0, table.localities.length];
  for (let at = from; at < end; at++) {
    if (locality === undefined || table.localities[at]?.name === locality) yield at;
  }
}

/**
 * Whole seconds until the next connection attempt of an endpoint that has failed for `failedFor` seconds: a back-off
 * of 1 s, times 1.6, at most 120 s, without jitter.
 */
function untilNextAttempt(failedFor: number): number {
  let attempt = 0;
  for (let delay = 1; attempt < failedFor; delay = Math.min(120, delay * 1.6)) attempt += delay;
  return Math.ceil(attempt - failedFor);
}

function holdEndpoints(
  table: EndpointTable,
  before: SimulatorState,
  after: SimulatorState,
): SimulatorState['held'] {
  const { priorities, profile } = table.cluster;
  if (!holdsEndpoints(profile)) return null;
  const used = asGrpc(before);
  const held = { conditions: after.conditions.slice(), weights: [...after.weights] };
  let isHeld = false;
  for (const leaf of new Set(priorities.map(({ cluster }) => cluster))) {
    const own = localitiesOfLeaf(table, leaf);
    const isUsable = (state: SimulatorState): boolean => own.some((at) => hasUsable(table, state, at));
    if (isUsable(after) || !isUsable(used)) continue;
    isHeld = true;
    for (const locality of own) {
      const [from, end] = endpointsOfLocality(table, locality);
      held.conditions.set(used.conditions.subarray(from, end), from);
      held.weights[locality] = used.weights[locality];
    }
  }
  return isHeld ? held : null;
}

function localitiesOfLeaf(table: EndpointTable, leaf: string): number[] {
  return table.cluster.priorities.flatMap(({ cluster }, priority) => {
    const [first, last] = localitiesOfPriority(table, priority);
    return cluster === leaf ? Array.from({ length: last - first }, (_, at) => first + at) : [];
  });
}

function hasUsable(table: EndpointTable, { conditions, weights }: SimulatorState, locality: number): boolean {
  if (!weights[locality]) return false;
  const { healthy, slow, dead } = conditionCode;
  const [from, end] = endpointsOfLocality(table, locality);
  return conditions.subarray(from, end).some((code) => code === healthy || code === slow || code === dead);
}
