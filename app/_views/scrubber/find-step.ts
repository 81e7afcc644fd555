import { requestAnswer } from '@/app/_ask/client-question';
import { formatExactTime } from '@/lib/format/exact-time';
import type { Moment } from '@/lib/views/fields/moment';
import type { EpochMs } from '@/lib/xds/units';
import type { Direction } from './find-event';
import { findEvent, findNack } from './find-event';
import type { MomentChoice } from './use-travel';

export type StepTarget = 'event' | 'nack' | 'tear';

interface StepSearch {
  readonly clientId: string;
  /** The shown time; undefined: now. */
  readonly moment: Moment | undefined;
  /** The sequence number of the shown event; null: now. */
  readonly from: number | null;
  /** False for a client that is not reported now. */
  readonly hasNow: boolean;
  readonly timeZone: string;
  readonly what: StepTarget;
  readonly direction: Direction;
  readonly signal: AbortSignal;
  readonly onProgress: (text: string) => void;
}

/** `time`: when `at` is; null: now. A text states why there is no step. */
export type Step = { readonly at: MomentChoice; readonly time: EpochMs | null } | string;

export async function findStep(search: StepSearch): Promise<Step> {
  const { clientId, moment, from, hasNow, what, direction } = search;
  const where = direction === 'older' ? 'before' : 'after';
  const shown = what === 'tear' ? (moment ?? null) : from;
  if (shown === null && direction === 'newer') return 'already at the newest state';
  if (what === 'tear') {
    const tear = await findTear({
      ...{ clientId, direction, from: moment?.at, signal: search.signal },
      onReached: (reached) =>
        search.onProgress(
          `no config tear ${where} this time so far: at ${formatExactTime(reached, search.timeZone)}`,
        ),
    });
    return tear === undefined ? `no config tear ${where} this time` : { at: tear, time: tear };
  }
  const event = await (what === 'nack' ? findNack : findEvent)({ clientId, direction, from });
  if (event !== undefined) return { at: `seq:${event.seq}`, time: event.at };
  if (what === 'nack') return `no NACK ${where} this time`;
  return direction === 'newer' && hasNow ? { at: '', time: null } : `no event ${where} this time`;
}

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
function findTear(search: TearSearch): Promise<EpochMs | undefined> {
  return search.direction === 'older' ? findOlder(search) : findNewer(search);
}

async function findOlder({ clientId, from, signal, onReached }: TearSearch): Promise<EpochMs | undefined> {
  for (let to = from; ; ) {
    const part = { limit: 2, ...(to !== undefined && { to, beganBefore: to }) };
    const { items, beginsAt, hasOlder } = await requestAnswer({ clientId }, 'tears', part, signal);
    // A tear at the start of the part began earlier.
    const tear = items.findLast(({ fromAt }) => !hasOlder || fromAt !== beginsAt);
    if (tear !== undefined) return tear.fromAt;
    // The tear may have begun at this time, so the next part includes it.
    const next = beginsAt === undefined ? null : beginsAt + 1;
    if (!hasOlder || next === null || next === to) return undefined;
    onReached(next);
    to = next;
  }
}

async function findNewer({ clientId, from, signal, onReached }: TearSearch): Promise<EpochMs | undefined> {
  for (let after = from; after !== undefined; ) {
    const part = { limit: 1, from: after, beganAfter: after };
    const { items, isCut, reportedTo } = await requestAnswer({ clientId }, 'tears', part, signal);
    if (items[0] !== undefined) return items[0].fromAt;
    if (!isCut || reportedTo === after) return undefined;
    onReached(reportedTo);
    after = reportedTo;
  }
  return undefined;
}
