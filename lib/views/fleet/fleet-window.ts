import type { FleetGroup, FleetView } from './build-fleet-view';
import type { FleetMember } from './fleet-member';

type FleetLine =
  | { readonly kind: 'group'; readonly group: FleetGroup; readonly isOpen: boolean }
  | { readonly kind: 'client'; readonly member: FleetMember };

interface FleetWindow {
  readonly lines: readonly FleetLine[];
  /** The number of all lines: groups, and the clients of open groups. */
  readonly total: number;
}

/** Returns at most `limit` lines from `offset` on. `open` are the values of the groups whose clients are shown. */
export function windowOfFleet(
  view: FleetView,
  open: ReadonlySet<string>,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): FleetWindow {
  const { groups, members } = view;
  if (groups === undefined) {
    return { lines: members.slice(offset, offset + limit).map(lineOf), total: members.length };
  }
  const lines: FleetLine[] = [];
  let at = 0;
  for (const group of groups) {
    const isOpen = open.has(group.value);
    if (at >= offset && lines.length < limit) lines.push({ kind: 'group', group, isOpen });
    at += 1;
    if (!isOpen) continue;
    const from = Math.max(0, offset - at);
    lines.push(...group.members.slice(from, from + limit - lines.length).map(lineOf));
    at += group.members.length;
  }
  return { lines, total: at };
}

function lineOf(member: FleetMember): FleetLine {
  return { kind: 'client', member };
}
