import { requestAnswer } from '@/app/_ask/client-question';
import { formatIsoTime } from '@/lib/format/iso-time';
import type { EpochMs } from '@/lib/xds/units';
import type { Direction } from './find-event';

interface TearSearch {
  readonly clientId: string;
  readonly direction: Direction;
  /** Exclusive; undefined: now. */
  readonly from: EpochMs | undefined;
  readonly signal: AbortSignal;
  /** Called with the time up to which the log was searched. */
  readonly onReached: (at: EpochMs) => void;
}

/** The start of the next config tear, searched in parts of the log; undefined: none. */
export function findTear(search: TearSearch): Promise<EpochMs | undefined> {
  return search.direction === 'older' ? findOlder(search) : findNewer(search);
}

async function findOlder({ clientId, from, signal, onReached }: TearSearch): Promise<EpochMs | undefined> {
  for (let to = from; ; ) {
    const part = {
      limit: 2,
      ...(to !== undefined && { to: formatIsoTime(to), beganBefore: formatIsoTime(to) }),
    };
    const { items, beginsAt, hasOlder } = await requestAnswer({ clientId }, 'tears', part, signal);
    // A tear at the start of the part began earlier.
    const tear = items.findLast(({ fromAt }) => !hasOlder || fromAt !== beginsAt);
    if (tear !== undefined) return tear.fromAt;
    // The tear may have begun at this time, so the next part includes it.
    const next = beginsAt === null ? null : beginsAt + 1;
    if (!hasOlder || next === null || next === to) return undefined;
    onReached(next);
    to = next;
  }
}

async function findNewer({ clientId, from, signal, onReached }: TearSearch): Promise<EpochMs | undefined> {
  for (let after = from; after !== undefined; ) {
    const part = { limit: 1, from: formatIsoTime(after), beganAfter: formatIsoTime(after) };
    const { items, isCut, reportedTo } = await requestAnswer({ clientId }, 'tears', part, signal);
    if (items[0] !== undefined) return items[0].fromAt;
    if (!isCut || reportedTo === after) return undefined;
    onReached(reportedTo);
    after = reportedTo;
  }
  return undefined;
}
