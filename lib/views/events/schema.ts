import * as z from 'zod';
import { vantage } from '../../observation/field-schemas';
import { clientStatuses } from '../../xds/status';
import { list, time } from '../fields/answer-fields';

export const notableEvent = z.object({
  seq: z.number().int(),
  at: time,
  kind: z.string(),
  vantage,
  clientId: z.string().optional(),
  nodeId: z.string().optional(),
  sourceId: z.string(),
  typeUrl: z.string().optional(),
  resourceName: z.string().optional(),
  /** The ClientStatus of the resource; absent: the event is about no resource. */
  status: z.enum(clientStatuses).optional(),
  text: z.string(),
  isTrouble: z.boolean(),
});

export const notableEvents = list(notableEvent);

export type NotableEvent = z.infer<typeof notableEvent>;
