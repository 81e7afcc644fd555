import * as z from 'zod';
import { states } from '../../xds/status';

/** The listeners at which a config can begin. */
export const startsFields = {
  /** The first 200 of `startsTotal`. */
  starts: z.array(
    z.object({
      listener: z.string(),
      kind: z.enum(['api', 'server', 'unknown']),
      address: z.string(),
      state: z.enum(states),
    }),
  ),
  startsTotal: z.number().int(),
};
