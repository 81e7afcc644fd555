import * as z from 'zod';
import { clientDetail } from '../client/schema';
import { time } from '../fields/answer-fields';
import { moment } from '../fields/moment';
import { graph } from '../graph/schema';
import { resourceRow } from '../resources/row-schema';

/** The page that a permalink shows: its path, its query, and the pan and zoom of the graph. */
export const view = z.object({
  tab: z
    .string()
    .regex(/^[a-z][a-z-]{0,39}$/, 'expected the last part of the path of a tab, as in graph')
    .default('graph')
    .meta({
      description:
        'The last part of the path of a tab of the client. A permalink stores failovers, load, propagation or the history for the tab failover, load, propagation or history.',
    }),
  /** The page's own query parameters: selection, filters, search. */
  query: z.record(z.string(), z.string()).default({}),
  transform: z.object({ x: z.number(), y: z.number(), k: z.number() }).optional(),
});
export const newPermalink = z.object({
  clientId: z.string(),
  view: view.prefault({}),
  /** The stored moment, as in the URL of GET clients/{id}; absent: that of the view's query, or now. */
  at: z.string().max(100).optional(),
});
export const permalinkCreated = z.object({ id: z.string(), url: z.string() });
export const permalink = z.object({
  id: z.string(),
  createdAt: time,
  clientId: z.string(),
  client: clientDetail,
  view,
  /** The first page of `client.resources` rows. */
  resources: z.array(resourceRow),
  /** The cursor for GET permalinks/{id}/resources; absent: there are no more rows. */
  nextCursor: z.string().optional(),
  graph,
  /** The stored moment in the past; absent: the time at which the permalink was made. */
  moment: moment.optional(),
  /** The time range whose load is stored; absent: none. */
  load: z.object({ from: time, to: time }).optional(),
});

export type View = z.infer<typeof view>;
export type NewPermalink = z.infer<typeof newPermalink>;
export type PermalinkCreated = z.infer<typeof permalinkCreated>;
export type Permalink = z.infer<typeof permalink>;
