import type * as z from 'zod';
import type { FailoverHistory as FailoverHistoryJson, failoversOf } from '@/lib/api/failovers';
import { formatIsoTime, formatIsoTimeOrNull } from '@/lib/format/iso-time';

/** States which priority of a cluster received traffic when. */
export type FailoverHistory = z.infer<ReturnType<typeof failoversOf<z.ZodNumber>>>;
export type FailoverPeriod = FailoverHistory['items'][number];

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
