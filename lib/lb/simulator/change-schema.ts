import * as z from 'zod';
import { endpointConditions } from './endpoint-condition';

export const second = z.number().int().min(0).max(3_600);

/** An absent field means all. */
const target = z.strictObject({
  /** The index in `priorities`. */
  priority: z.number().int().min(0).max(10_000).optional(),
  /** As in `priorities`: "eu / eu-1". */
  locality: z.string().max(4_096).optional(),
  address: z.string().max(4_096).optional(),
});

export const failoverChange = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('condition'), at: second, target, to: z.enum(endpointConditions) }),
  z.strictObject({
    kind: z.literal('weight'),
    at: second,
    target,
    weight: z.number().int().min(0).max(4_294_967_295),
  }),
  z.strictObject({ kind: z.literal('factor'), at: second, percent: z.number().int().min(1).max(10_000) }),
]);
