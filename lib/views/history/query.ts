import * as z from 'zod';
import { vantage } from '../../observation/field-schemas';
import { described, epochTime, limit, offset, textParameter, typeParameter } from '../fields/query-fields';
import { historyKinds } from './history-kinds';

/** The beginning of a page of the log: see formatHistoryCursor(). */
const cursor = z
  .string()
  .max(100)
  .transform((value, context) => {
    const [, direction, seq] = /^(older|newer)-(\d{1,15})$/.exec(value) ?? [];
    if (direction === 'older' || direction === 'newer') return { direction, seq: Number(seq) } as const;
    context.addIssue({
      code: 'custom',
      message: `expected a cursor of an earlier answer, got ${JSON.stringify(value)}`,
    });
    return z.NEVER;
  });

const filter = z.strictObject({
  client: described(textParameter.optional(), 'Id of the client.'),
  stream: described(textParameter.optional(), 'Id of the stream.'),
  source: described(textParameter.optional(), 'Id of the source.'),
  type: described(
    z.array(typeParameter).max(64).default([]),
    'Type URL, or a short name as in CDS. Repeatable: any of them.',
  ),
  kind: described(z.array(z.enum(historyKinds)).default([]), 'Kind of event. Repeatable: any of them.'),
  vantage: described(z.array(vantage).default([]), 'Where it was observed. Repeatable: any of them.'),
  resource: described(
    textParameter.optional(),
    'Exactly this name of a resource: requested, sent, changed, removed or rejected.',
  ),
  version: described(textParameter.optional(), 'Exactly this version, accepted or rejected.'),
  error: described(textParameter.optional(), 'Part of the error text, whatever the case.'),
  rejected: described(
    z.literal('true').optional(),
    'Only NACKs: on a stream, or as a report with an error state.',
  ),
  from: epochTime('ISO 8601, included.'),
  to: epochTime('ISO 8601, included.'),
});

export const historyQuery = filter.extend({
  order: described(
    z.enum(['desc', 'asc']).default('desc'),
    'The end of the log at which the first page begins: desc is the newest.',
  ),
  limit: described(
    z.coerce.number().int().min(1).max(1_000).default(200),
    'The largest number of events in the answer. Fewer are listed if they are large.',
  ),
  cursor: described(cursor.optional(), '"older" or "newer" of an earlier answer with the same filter.'),
});

export const timelineQuery = filter.extend({
  buckets: described(
    z.coerce.number().int().min(1).max(2_000).default(300),
    'The approximate number of intervals in which events are counted.',
  ),
});

export const historyEventQuery = z.object({
  offset: offset('Resources'),
  limit: limit('resources', { min: 1, max: 1_000, otherwise: 200 }),
});

export type HistoryFilterQuery = z.infer<typeof filter>;
export type HistoryQuery = z.infer<typeof historyQuery>;
export type TimelineQuery = z.infer<typeof timelineQuery>;
export type HistoryEventQuery = z.infer<typeof historyEventQuery>;
