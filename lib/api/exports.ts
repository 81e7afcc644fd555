import { z } from 'zod';

export const exportEstimate = z.object({
  /** In the range. */
  observations: z.number().int(),
  /** About. */
  sizeBytes: z.number().int(),
});
export type ExportEstimate = z.infer<typeof exportEstimate>;

/** A file that is uploaded may be this large. */
export const largestImportBytes = 200 * 1024 * 1024;
