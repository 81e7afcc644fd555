import { z } from 'zod';
import { clientDetail } from './clients';
import { graph } from './graph';
import { moment } from './moment';
import { resourceRow } from './resource-rows';
import { time } from './words';

/** What a permalink keeps of the page: path and query, and the picture's pan and zoom. All of it is the page's own. */
export const view = z.object({
  tab: z
    .enum(['graph', 'resolved', 'failover', 'resources', 'load', 'propagation', 'findings', 'history'])
    .default('graph'),
  /** The page's own query parameters: selection, filters, search. */
  query: z.record(z.string(), z.string()).default({}),
  transform: z.object({ x: z.number(), y: z.number(), k: z.number() }).nullable().default(null),
});
export const newPermalink = z.object({
  clientId: z.string(),
  view: view.prefault({}),
  /** The moment that is stored, as in the URL of GET clients/{id}; left out: the one of the view's query, or now. */
  at: z.string().max(100).optional(),
});
export const permalinkCreated = z.object({ id: z.string(), url: z.string() });
export const permalink = z.object({
  id: z.string(),
  createdAt: time,
  clientId: z.string(),
  client: clientDetail,
  view,
  /** The first page of them; all of them are `client.resources`. */
  resources: z.array(resourceRow),
  /** Where GET permalinks/{id}/resources goes on; null: these are all. */
  nextCursor: z.string().nullable(),
  graph,
  /** The moment in the past that was stored; not there: the one at which it was made. */
  moment: moment.optional(),
  /** The span whose load it keeps; not there: none. */
  load: z.object({ from: time, to: time }).optional(),
});

export type View = z.infer<typeof view>;
export type NewPermalink = z.infer<typeof newPermalink>;
export type PermalinkCreated = z.infer<typeof permalinkCreated>;
export type Permalink = z.infer<typeof permalink>;
