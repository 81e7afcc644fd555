import * as z from 'zod';
import { described, epochTime } from '../fields/query-fields';

/** The query of GET export and GET export/estimate. */
export const exportQuery = z.strictObject({
  from: epochTime('ISO 8601. Default: the beginning of the log.'),
  to: epochTime('ISO 8601. Default: now.'),
  client: described(z.string().optional(), 'Id of the client. Default: all clients that no file imported.'),
});
export type ExportQuery = z.infer<typeof exportQuery>;

export const exportEstimate = z.object({
  observations: z.number().int(),
  /** An estimate for large exports. */
  sizeBytes: z.number().int(),
});
export type ExportEstimate = z.infer<typeof exportEstimate>;
