import { formatBytes } from '../../format/bytes';
import { formatCount, formatCounted } from '../../format/count';
import type { EpochMs } from '../../xds/units';
import type { Health } from '../health/schema';

export interface RecorderRemark {
  readonly text: string;
  /** `trouble`: data is missing, or recording has stopped; `note`: temporary or resolved. */
  readonly tone: 'trouble' | 'note';
  /** The time of the newest case. */
  readonly at?: EpochMs;
  /** Kind of events that show it in History. */
  readonly kind?: 'copies-dropped';
}

type Reported = Pick<Health, 'recorder' | 'load' | 'sharedStore' | 'unhandledRejections'>;

/** The largest number of waiting observations in normal operation. */
const usuallyWaiting = 4_096;

/** The worst first. Empty if there is no problem. `droppedMessages`: messages that taps relayed and did not record. */
export function describeRecorder(
  { recorder, load, sharedStore, unhandledRejections: { count: unhandled, lastAt, lastMessage } }: Reported,
  droppedMessages: number,
): RecorderRemark[] {
  const { state, reason, waiting, missed, gaps, notFollowed, permalinks, retentionProblem } = recorder;
  const remarks: (RecorderRemark | false)[] = [
    state === 'stopped' && {
      tone: 'trouble',
      text: `Recording has stopped: ${reason === '' ? 'the reason is not known' : reason}. ${formatCounted(waiting, 'observation')} wait${waiting === 1 ? 's' : ''} in memory and will be written when that is possible again; xdscope retries every few seconds. Recorded data can still be read.`,
    },
    unhandled > 0 && {
      tone: 'trouble',
      text: `${formatCounted(unhandled, 'unexpected error')} in xdscope since the server started; parts of it may not work until it is restarted. The newest was "${lastMessage}",`,
      ...(lastAt !== undefined && { at: lastAt }),
    },
    missed > 0 && {
      tone: 'trouble',
      text: `${formatCounted(missed, 'observation')} did not reach the log since the server started.`,
    },
    gaps.count > 0 && {
      tone: missed > 0 ? 'trouble' : 'note',
      text: `The log has ${formatCounted(gaps.count, 'gap')}, in which ${formatCounted(gaps.observations, 'observation')} ${gaps.observations === 1 ? 'is' : 'are'} missing; History shows where. The newest ended`,
      ...(gaps.newestAt !== undefined && { at: gaps.newestAt }),
    },
    droppedMessages > 0 && {
      tone: 'trouble',
      text: `Taps did not record ${formatCounted(droppedMessages, 'message')} since they started, because recording could not keep up. The streams were not affected.`,
      kind: 'copies-dropped',
    },
    state === 'recording' &&
      waiting > usuallyWaiting && {
        tone: 'note',
        text: `${formatCount(waiting)} observations wait for the disk.`,
      },
    notFollowed > 0 && {
      tone: 'note',
      text: `Indexing ${formatCounted(notFollowed, 'recent observation')}; until then clients at these times load more slowly.`,
    },
    permalinks.limit !== undefined &&
      permalinks.count >= permalinks.limit && {
        tone: 'trouble',
        text: `No more permalinks can be saved: there are ${formatCount(permalinks.count)}, as many as --max-permalinks allows.`,
      },
    retentionProblem !== '' && {
      tone: 'trouble',
      text: `Maintenance of the log failed: ${retentionProblem}`,
    },
    sharedStore !== undefined &&
      sharedStore.problem !== '' && {
        tone: 'trouble',
        text:
          sharedStore.role === 'collector'
            ? `Nothing is copied into the shared store ${sharedStore.target}: ${sharedStore.problem}. Observations wait in this recording, up to its retention; xdscope retries every few seconds.`
            : `Nothing new is read from the shared store ${sharedStore.target}: ${sharedStore.problem}. Pages show what was read before.`,
      },
    sharedStore?.rejected !== undefined &&
      sharedStore.rejected > 0 && {
        tone: 'note',
        text: `The shared store ${sharedStore.target} has rejected ${formatCounted(sharedStore.rejected, 'observation')}, made by collectors after another one had taken over their source. They are in the recordings of those collectors alone.`,
      },
    sharedStore?.fleetProblem !== undefined &&
      sharedStore.fleetProblem !== '' && {
        tone: 'trouble',
        text: `No process answers questions about all clients, such as NACKs, issues and search: ${sharedStore.fleetProblem}. The pages of one client and the list of clients are not affected.`,
      },
    sharedStore?.isNotified === false && {
      tone: 'note',
      text: `The shared store ${sharedStore.target} does not notify this process of changes, as behind PgBouncer in transaction mode: it is read each second instead.`,
    },
    load.problem !== '' && { tone: 'trouble', text: `Load is not being written: ${load.problem}` },
    load.missed > 0 && {
      tone: 'trouble',
      text: `${formatCounted(load.missed, 'load report')} arrived faster than the disk could write, and ${load.missed === 1 ? 'is' : 'are'} missing.`,
    },
    load.leftOut > 0 && {
      tone: 'trouble',
      text: `${formatCounted(load.leftOut, 'line')} of load reports exceeded the limit of series, and ${load.leftOut === 1 ? 'is' : 'are'} missing.`,
    },
  ];
  return remarks.filter((remark) => remark !== false);
}

interface RetentionForecast {
  readonly limit: 'age' | 'size' | 'number';
  /** When the oldest observation is deleted; not after now if observations are being deleted. */
  readonly at: EpochMs;
}

/** The growth of a shorter time says nothing about the next days: a start records each client as a whole. */
const leastMeasuredMs = 60 * 60_000;

/**
 * When retention deletes the oldest observation, and which limit is the first to be reached, if the log grows on as within the last
 * day. undefined if there is no limit, or less than an hour is recorded and no limit is reached.
 */
export function forecastRetention(
  { oldestAt, sizeBytes, observations, limits, growth }: Health['recorder'],
  now: EpochMs,
): RetentionForecast | undefined {
  if (oldestAt === undefined) return undefined;
  const perMinute = growth.day ?? growth.hour;
  const reached = (left: number, rate: number): EpochMs =>
    left <= 0 ? now : rate > 0 ? now + (left / rate) * 60_000 : Number.POSITIVE_INFINITY;
  const forecasts: RetentionForecast[] = [
    {
      limit: 'age',
      at: limits.maxAgeMs >= foreverMs ? Number.POSITIVE_INFINITY : oldestAt + limits.maxAgeMs,
    },
    { limit: 'size', at: reached(limits.maxBytes - sizeBytes, perMinute?.bytesPerMinute ?? 0) },
    {
      limit: 'number',
      at: reached(
        (limits.maxCount ?? Number.POSITIVE_INFINITY) - observations,
        perMinute?.observationsPerMinute ?? 0,
      ),
    },
  ];
  const first = forecasts.reduce((one, other) => (other.at < one.at ? other : one));
  if (first.at > now && now - oldestAt < leastMeasuredMs) return undefined;
  return Number.isFinite(first.at) ? first : undefined;
}

const dayMs = 86_400_000;
/** Longer limits come from temporary data directories, and are shown as none. */
const foreverMs = 36_500 * dayMs;

/** As in "12 of 10,000, 3.4 MB". */
export function formatPermalinks({ count, sizeBytes, limit }: Health['recorder']['permalinks']): string {
  const share = limit === undefined ? formatCount(count) : `${formatCount(count)} of ${formatCount(limit)}`;
  return `${share}, ${formatBytes(sizeBytes)}`;
}

/** As in "7 days, 2.15 GB": the oldest observations are deleted when any limit is reached. */
export function formatLimits({ maxAgeMs, maxBytes, maxCount }: Health['recorder']['limits']): string {
  const days = Math.round((maxAgeMs / dayMs) * 10) / 10;
  return [
    maxAgeMs < foreverMs && `${formatCount(days)} ${days === 1 ? 'day' : 'days'}`,
    maxBytes < 1e15 && formatBytes(maxBytes),
    maxCount !== undefined && formatCounted(maxCount, 'observation'),
  ]
    .filter((limit) => limit !== false)
    .join(', ');
}
