import type {
  FailoverHistory as FailoverHistoryJson,
  FailoverPeriod as FailoverPeriodJson,
} from '@/lib/api/failovers';
import { formatIsoTime, formatIsoTimeOrNull, type InEpochMs } from '@/lib/format/iso-time';

export type FailoverPeriod = InEpochMs<FailoverPeriodJson, 'fromAt' | 'toAt'>;
/** States which priority of a cluster received traffic when. */
export type FailoverHistory = InEpochMs<Omit<FailoverHistoryJson, 'items'>, 'from' | 'to' | 'beginsAt'> & {
  items: FailoverPeriod[];
};

export function formatFailovers({ items, ...history }: FailoverHistory): FailoverHistoryJson {
  return {
    ...history,
    from: formatIsoTime(history.from),
    to: formatIsoTime(history.to),
    beginsAt: formatIsoTimeOrNull(history.beginsAt),
    items: items.map((period) => ({
      ...period,
      fromAt: formatIsoTime(period.fromAt),
      toAt: formatIsoTimeOrNull(period.toAt),
    })),
  };
}
