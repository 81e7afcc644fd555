import type { FleetView } from './build-fleet-view';
import type { CountedGroup } from './counted-group';
import type { FleetMember } from './fleet-member';

interface GroupLine {
  readonly kind: 'group';
  readonly group: Pick<CountedGroup, 'value' | 'counts'>;
  readonly isOpen: boolean;
}

export type FleetLine<Member = FleetMember> =
  | GroupLine
  | { readonly kind: 'client'; readonly member: Member };

/** Consecutive lines of a window: that of a group, or `count` clients of a group, or of all, from `from` on. */
type FleetPart<Group> =
  | { readonly kind: 'group'; readonly group: Group; readonly isOpen: boolean }
  | {
      readonly kind: 'clients';
      readonly group: Group | undefined;
      readonly from: number;
      readonly count: number;
    };

interface FleetWindow {
  readonly lines: readonly FleetLine[];
  /** The number of all lines: groups, and the clients of open groups. */
  readonly total: number;
}

interface WindowBounds {
  readonly offset: number;
  readonly limit: number;
}

/** The parts of at most `limit` lines from `offset` on, of groups or of so many clients. `total`: all lines. */
export function partsOfFleet<Group extends CountedGroup>(
  groups: readonly Group[] | number,
  open: ReadonlySet<string>,
  { offset, limit }: WindowBounds,
): { readonly parts: readonly FleetPart<Group>[]; readonly total: number } {
  const parts: FleetPart<Group>[] = [];
  let [at, left] = [0, limit];
  const addClients = (group: Group | undefined, clients: number): void => {
    const from = Math.max(0, offset - at);
    const count = Math.min(left, clients - from);
    if (count > 0) parts.push({ kind: 'clients', group, from, count });
    left -= Math.max(0, count);
    at += clients;
  };
  if (typeof groups === 'number') {
    addClients(undefined, groups);
    return { parts, total: at };
  }
  for (const group of groups) {
    const isOpen = open.has(group.value);
    if (at >= offset && left > 0) {
      parts.push({ kind: 'group', group, isOpen });
      left -= 1;
    }
    at += 1;
    if (isOpen) addClients(group, group.clients);
  }
  return { parts, total: at };
}

/** Returns at most `limit` lines from `offset` on. `open` are the values of the groups whose clients are shown. */
export function windowOfFleet(
  { groups, members }: FleetView,
  open: ReadonlySet<string>,
  bounds: WindowBounds,
): FleetWindow {
  const { parts, total } = partsOfFleet(groups ?? members.length, open, bounds);
  const lines = parts.flatMap((part): FleetLine[] => {
    if (part.kind === 'group') return [part];
    const all = part.group?.members ?? members;
    return all.slice(part.from, part.from + part.count).map((member) => ({ kind: 'client', member }));
  });
  return { lines, total };
}
