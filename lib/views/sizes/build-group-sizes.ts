import { byDescending } from '../../collections/compare';
import { sortInSteps } from '../../cooperative/sort-in-steps';
import { itemsPerStep, type Steps } from '../../cooperative/steps';
import type { SizeGroup } from '../../fleet/size-group';
import { configTypes } from '../fleet/config-types';
import type { FleetMember } from '../fleet/fleet-member';
import { countBytes } from '../fleet/fleet-sort';
import { buildSizeBefore, type ClientSizesOptions, restOf } from './build-client-sizes';
import type { FieldSize, SizeItem } from './schema';
import { sizeGroupFilter, sizeGroupKey, sizeGroupValues } from './size-groups';

interface GroupSizes {
  /** Sorted by size or growth. The key of an item is a filter for its clients. */
  readonly items: readonly SizeItem[];
  readonly rest: ReturnType<typeof restOf>;
}

interface Group {
  readonly values: readonly string[];
  readonly firstName: string;
  readonly types: Map<string, { bytes: number; count: number }>;
  bytes: number;
  resources: number;
  clients: number;
  least: number;
  most: number;
  /** undefined if a client of the group was not measured before. */
  before: { at: number; bytes: number } | undefined;
}

/** Builds sizes by the value of a field, like buildClientSizes(). The parts of a group are types. */
export function* buildGroupSizes(
  members: Iterable<FleetMember>,
  group: SizeGroup,
  { most, sort, beforeOf }: ClientSizesOptions,
): Steps<GroupSizes> {
  const groups = new Map<string, Group>();
  let visited = 0;
  for (const member of members) {
    visited += 1;
    if (visited % itemsPerStep === 0) yield;
    if (member.link?.kind === 'whole') continue;
    const values = sizeGroupValues(member, group);
    const key = sizeGroupKey(values);
    const known = groups.get(key) ?? begin(values, member);
    groups.set(key, known);
    add(known, member, beforeOf);
  }
  const grown = ({ bytes, before }: Group): number => bytes - (before?.bytes ?? bytes);
  const inOrder = yield* sortInSteps(
    [...groups.values()],
    (a, b) => (sort === 'growth' ? grown(b) - grown(a) : 0) || b.bytes - a.bytes,
  );
  return {
    items: inOrder.slice(0, most).map((each) => itemOf(each, group)),
    rest: restOf(inOrder.slice(most)),
  };
}

function begin(values: readonly string[], { summary }: FleetMember): Group {
  return {
    ...{ values, firstName: summary.nodeId, types: new Map(), bytes: 0, resources: 0, clients: 0 },
    ...{ least: Number.POSITIVE_INFINITY, most: 0, before: { at: Number.POSITIVE_INFINITY, bytes: 0 } },
  };
}

/** MUTATES `group`. */
function add(group: Group, { summary }: FleetMember, beforeOf: ClientSizesOptions['beforeOf']): void {
  const bytes = countBytes(summary) ?? 0;
  const before = beforeOf(summary.id);
  group.bytes += bytes;
  group.resources += summary.resources;
  group.clients += 1;
  group.least = Math.min(group.least, bytes);
  group.most = Math.max(group.most, bytes);
  group.before = before &&
    group.before && { at: Math.min(before.at, group.before.at), bytes: before.bytes + group.before.bytes };
  for (const { service, sizeBytes, total } of configTypes(summary)) {
    if (sizeBytes === undefined || sizeBytes === 0) continue;
    const known = group.types.get(service) ?? { bytes: 0, count: 0 };
    group.types.set(service, { bytes: known.bytes + sizeBytes, count: known.count + total });
  }
}

function itemOf(group: Group, by: SizeGroup): SizeItem {
  const { bytes, resources, clients, least, most, before, types } = group;
  const parts: FieldSize[] = [...types].map(([name, size]) => ({ name, ...size, parts: [] }));
  return {
    ...{ key: sizeGroupFilter(by, group.values), label: labelOf(group, by), bytes, count: resources },
    parts: parts.sort(byDescending(({ bytes }) => bytes)),
    before: buildSizeBefore(before),
    clients: { count: clients, leastBytes: least, mostBytes: most },
  };
}

function labelOf({ values, firstName, clients }: Group, by: SizeGroup): string {
  if (values.length === 0) return by === 'runs' ? 'nothing' : `no ${by} reported`;
  if (by !== 'runs') return values.join(', ');
  return clients === 1 ? firstName : `as ${firstName}`;
}
