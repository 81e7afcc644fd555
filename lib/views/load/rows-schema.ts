import * as z from 'zod';
import { locality } from '../../observation/field-schemas';
import { list, time } from '../fields/answer-fields';

const localityLoad = z.object({
  locality,
  priority: z.number().int(),
  successful: z.string(),
  errors: z.string(),
  issued: z.string().optional(),
  inProgress: z.string(),
  /** Over the newest report. */
  successfulPerSecond: z.number().optional(),
  errorsPerSecond: z.number().optional(),
});
/** The load of one client to one cluster: sums since the first report, and rates of the newest report. */
const loadRow = z.object({
  clientId: z.string(),
  nodeId: z.string(),
  clusterName: z.string(),
  clusterServiceName: z.string(),
  reports: z.number().int(),
  firstReportAt: time,
  lastReportAt: time,
  intervalMs: z.number().optional(),
  totalDropped: z.string(),
  dropped: z.array(z.object({ category: z.string(), count: z.string() })),
  localities: z.array(localityLoad),
});

/**
 * The rows are ordered by node and cluster. `total` includes rows beyond the limit. `notes`: limits that were
 * reached.
 */
export const loadRowsPage = list(loadRow).extend({ total: z.number().int(), notes: z.array(z.string()) });

export type LoadRow = z.infer<typeof loadRow>;
