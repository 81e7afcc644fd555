import { mergeInSteps, sortInSteps } from '../../cooperative/sort-in-steps';
import { itemsPerStep, type Steps } from '../../cooperative/steps';
import type { FleetField } from '../../fleet/fleet-fields';
import { compareSortValues } from '../../format/compare-names';
import { type CountedGroup, compareGroups } from './counted-group';
import { findChangedPlaces } from './find-changed-places';
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
  /** The state from which the next view of the same question is built. */
  readonly made: MadeView;
}

interface Entry {
  readonly member: FleetMember;
  /** The index among all clients. */
  readonly place: number;
  readonly value: FleetSortValue;
  readonly group: string;
}

interface MadeView {
  readonly all: readonly FleetMember[];
  readonly entries: readonly Entry[];
  readonly tally: FleetTally;
}

/**
 * `members` are sorted by name, which decides between equal values. With the previous view of the same question only
 * clients that are other objects since then are visited.
 */
export function* buildFleetView(
  members: readonly FleetMember[],
  question: FleetQuestion,
  before?: FleetView,
): Steps<FleetView> {
  const changed = before && findChangedPlaces(before.made.all, members);
  const made =
    before !== undefined && changed !== undefined
      ? yield* update(before.made, members, changed, question)
      : yield* make(members, question);
  return {
    counts: made.tally.counts,
    members: made.entries.map(({ member }) => member),
    groups: question.group === undefined ? undefined : yield* buildGroups(made.entries),
    made,
  };
}

function* make(all: readonly FleetMember[], question: FleetQuestion): Steps<MadeView> {
  const found: Entry[] = [];
  const tally = new FleetTally();
  for (const [place, member] of all.entries()) {
    if (matchesFleetFilter(member, question.filter)) {
      found.push(entryOf(member, place, question));
      tally.add(member);
    }
    if (place % itemsPerStep === 0) yield;
  }
  return { all, tally, entries: yield* sortInSteps(found, comparison(question)) };
}

function* update(
  { all: before, entries, tally: begun }: MadeView,
  all: readonly FleetMember[],
  changed: ReadonlySet<number>,
  question: FleetQuestion,
): Steps<MadeView> {
  const tally = new FleetTally(begun);
  const found: Entry[] = [];
  for (const place of changed) {
    const [was, is] = [before[place], all[place]];
    if (was !== undefined && matchesFleetFilter(was, question.filter)) tally.remove(was);
    if (is === undefined || !matchesFleetFilter(is, question.filter)) continue;
    found.push(entryOf(is, place, question));
    tally.add(is);
    if (found.length % itemsPerStep === 0) yield;
  }
  const kept = entries.filter(({ place }) => !changed.has(place));
  const compare = comparison(question);
  return { all, tally, entries: yield* mergeInSteps(kept, yield* sortInSteps(found, compare), compare) };
}

function entryOf(member: FleetMember, place: number, { sort, group }: FleetQuestion): Entry {
  return {
    member,
    place,
    value: fleetSortValue(sort.columnId)(member.summary),
    group: group === undefined ? '' : [...new Set(valuesOfField(member, group))].join(', '),
  };
}

function comparison({ sort }: FleetQuestion): (a: Entry, b: Entry) => number {
  return (a, b) => compareSortValues(a.value, b.value, sort.descending) || a.place - b.place;
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
