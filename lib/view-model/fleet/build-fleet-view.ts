import { compareNames } from '../../format/compare-names';
import { sortInSteps } from '../../steps/sort-in-steps';
import { itemsPerStep, type Steps } from '../../steps/steps';
import { type ClientStatus, clientStatusRank } from '../../xds/status';
import { type FleetField, valuesOfField } from './fleet-fields';
import { type FleetFilter, matchesFleetFilter } from './fleet-filter';
import type { FleetMember } from './fleet-member';
import { countNacks, type FleetSortValue, fleetSortValue } from './fleet-sort';

export interface FleetQuestion {
  readonly filter: FleetFilter;
  readonly sort: { readonly columnId: string; readonly descending: boolean };
  /** undefined: one list. */
  readonly group: FleetField | undefined;
}

/** What is counted of some clients. What the wire tells of a whole process is none beside its scopes. */
export interface FleetCounts {
  clients: number;
  live: number;
  stale: number;
  gone: number;
  /** With trouble now; resources that are refused, and who refuses. */
  inTrouble: number;
  nackedResources: number;
  nackedClients: number;
  worst: ClientStatus | null;
}

export interface FleetGroup {
  /** Of several values all, apart by commas; empty: not told. */
  readonly value: string;
  readonly counts: FleetCounts;
  readonly members: readonly FleetMember[];
}

/** The clients that a filter leaves, in order. */
export interface FleetView {
  readonly counts: FleetCounts;
  readonly members: readonly FleetMember[];
  /** Those in trouble first, then the largest, then by value. undefined: they are not grouped. */
  readonly groups: readonly FleetGroup[] | undefined;
}

/** `members` in the order of their names: it decides between equals. */
export function* buildFleetView(
  members: readonly FleetMember[],
  { filter, sort, group }: FleetQuestion,
): Steps<FleetView> {
  const sortValue = fleetSortValue(sort.columnId);
  const found: { member: FleetMember; value: FleetSortValue }[] = [];
  const counts = noCounts();
  for (const [index, member] of members.entries()) {
    if (matchesFleetFilter(member, filter)) {
      found.push({ member, value: sortValue(member.summary) });
      countMember(counts, member);
    }
    if (index % itemsPerStep === 0) yield;
  }
  const turn = sort.descending ? -1 : 1;
  const sorted = yield* sortInSteps(found, (a, b) => compareValues(a.value, b.value, turn));
  const inOrder = sorted.map(({ member }) => member);
  return {
    counts,
    members: inOrder,
    groups: group === undefined ? undefined : yield* buildGroups(inOrder, group),
  };
}

function* buildGroups(members: readonly FleetMember[], field: FleetField): Steps<FleetGroup[]> {
  const groups = new Map<string, { value: string; counts: FleetCounts; members: FleetMember[] }>();
  for (const [index, member] of members.entries()) {
    const value = [...new Set(valuesOfField(member, field))].join(', ');
    const known = groups.get(value) ?? { value, counts: noCounts(), members: [] };
    groups.set(value, known);
    known.members.push(member);
    countMember(known.counts, member);
    if (index % itemsPerStep === 0) yield;
  }
  return yield* sortInSteps([...groups.values()], (a, b) => {
    const trouble = Number(b.counts.inTrouble > 0) - Number(a.counts.inTrouble > 0);
    return trouble || b.members.length - a.members.length || compareNames(a.value, b.value);
  });
}

function compareValues(a: FleetSortValue, b: FleetSortValue, turn: 1 | -1): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  if (typeof a === 'number' && typeof b === 'number') return turn * (a - b);
  return turn * compareNames(String(a), String(b));
}

export function noCounts(): FleetCounts {
  return {
    clients: 0,
    live: 0,
    stale: 0,
    gone: 0,
    inTrouble: 0,
    nackedResources: 0,
    nackedClients: 0,
    worst: null,
  };
}

/** MUTATES counts. */
export function countMember(counts: FleetCounts, { summary, link }: FleetMember): void {
  const { worst } = summary;
  if (worst !== null && (counts.worst === null || clientStatusRank(worst) < clientStatusRank(counts.worst))) {
    counts.worst = worst;
  }
  if (link?.kind === 'whole') return;
  const nacks = countNacks(summary);
  counts.clients += 1;
  counts[summary.freshness] += 1;
  counts.inTrouble += summary.trouble > 0 ? 1 : 0;
  counts.nackedResources += nacks;
  counts.nackedClients += nacks > 0 ? 1 : 0;
}
