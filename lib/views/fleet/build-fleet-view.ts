import { sortInSteps } from '../../cooperative/sort-in-steps';
import { itemsPerStep, type Steps } from '../../cooperative/steps';
import type { FleetField } from '../../fleet/fleet-fields';
import { compareSortValues } from '../../format/compare-names';
import { type CountedGroup, compareGroups } from './counted-group';
import { type FleetFilter, matchesFleetFilter } from './fleet-filter';
import type { FleetMember } from './fleet-member';
import { type FleetSortValue, fleetSortValue } from './fleet-sort';
import { type FleetCounts, FleetTally } from './fleet-tally';
import { valuesOfField } from './values-of-field';

export interface FleetQuestion {
  readonly filter: FleetFilter;
  readonly sort: { readonly columnId: string; readonly descending: boolean };
  /** undefined if clients are not grouped. */
  readonly group: FleetField | undefined;
}

export interface FleetGroup extends CountedGroup {
  readonly members: readonly FleetMember[];
}

/** The clients that match a filter, in order. */
export interface FleetView {
  readonly counts: FleetCounts;
  readonly members: readonly FleetMember[];
  /** Groups in trouble first, then by size, then by value; undefined if clients are not grouped. */
  readonly groups: readonly FleetGroup[] | undefined;
}

interface Entry {
  readonly member: FleetMember;
  readonly value: FleetSortValue;
  readonly group: string;
}

/** `members` are sorted by name, which decides between equal values. */
export function* buildFleetView(members: readonly FleetMember[], question: FleetQuestion): Steps<FleetView> {
  const found: Entry[] = [];
  const tally = new FleetTally();
  for (const [place, member] of members.entries()) {
    if (matchesFleetFilter(member, question.filter)) {
      found.push(entryOf(member, question));
      tally.add(member);
    }
    if (place % itemsPerStep === 0) yield;
  }
  const { descending } = question.sort;
  // The sort is stable.
  const entries = yield* sortInSteps(found, (a, b) => compareSortValues(a.value, b.value, descending));
  return {
    counts: tally.counts,
    members: entries.map(({ member }) => member),
    groups: question.group === undefined ? undefined : yield* buildGroups(entries),
  };
}

function entryOf(member: FleetMember, { sort, group }: FleetQuestion): Entry {
  return {
    member,
    value: fleetSortValue(sort.columnId)(member.summary),
    group: group === undefined ? '' : [...new Set(valuesOfField(member, group))].join(', '),
  };
}

function* buildGroups(entries: readonly Entry[]): Steps<FleetGroup[]> {
  const groups = new Map<string, { tally: FleetTally; members: FleetMember[] }>();
  for (const [index, { member, group }] of entries.entries()) {
    const known = groups.get(group) ?? { tally: new FleetTally(), members: [] };
    groups.set(group, known);
    known.members.push(member);
    known.tally.add(member);
    if (index % itemsPerStep === 0) yield;
  }
  const counted = Array.from(groups, ([value, { tally, members }]) => ({
    value,
    counts: tally.counts,
    clients: members.length,
    members,
  }));
  return yield* sortInSteps(counted, compareGroups);
}
