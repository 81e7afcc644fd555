import type { Moment } from '@/lib/api/moment';
import { formatExactTime } from '@/lib/format/exact-time';
import type { EpochMs } from '@/lib/xds/units';
import { type Direction, findEvent, findNack } from './find-event';
import { findTear } from './find-tear';
import type { MomentChoice } from './use-travel';

export type StepTarget = 'event' | 'nack' | 'tear';

export interface StepSearch {
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
