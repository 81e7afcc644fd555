import * as z from 'zod';
import { defineQuestion } from '../../questions/question';
import { described } from '../fields/query-fields';
import { notableEvents } from './schema';

/** The nearest valid number applies: unlike other limits, one that is out of range is not an error. */
const eventLimit = z.coerce
  .number()
  .catch(100)
  .transform((count) => Math.min(500, Math.max(1, count || 100)))
  .default(100);

export const eventsQuestion = defineQuestion({
  summary: 'Notable events, newest first.',
  query: z.object({
    limit: described(eventLimit, 'The largest number of events in the answer, from 1 to 500.'),
    clientId: described(z.string().optional(), 'Id of the client. Default: all.'),
  }),
  answer: notableEvents,
});
