import * as z from 'zod';
import { vantage } from '../../observation/field-schemas';
import { clientStatuses } from '../../xds/status';
import { list, time } from '../fields/answer-fields';

export const notableEvent = z.object({
  seq: z.number().int(),
  at: time,
  kind: z.string(),
  vantage,
  clientId: z.string().nullable(),
  nodeId: z.string().nullable(),
  sourceId: z.string(),
  typeUrl: z.string().nullable(),
  resourceName: z.string().nullable(),
  /** The ClientStatus of the resource; null: the event is about no resource. */
  status: z.enum(clientStatuses).nullable(),
  text: z.string(),
  isTrouble: z.boolean(),
});

export const notableEvents = list(notableEvent);

export type NotableEvent = z.infer<typeof notableEvent>;
