/**
 * The schemas of the HTTP API: the types of pages, the checks of input and the OpenAPI document are derived from them.
 * Times are EpochMs, those of query parameters ISO 8601; null is "not reported" or "never", not zero. Pages import types
 * only (`import type`), so that no validator reaches the browser.
 */

import * as z from 'zod';
import { vantage } from '../observation/field-schemas';
import { clientStatuses } from '../xds/status';
import { list, time } from './answer-fields';
import { clientSummary } from './clients';
import { loadRow } from './load-rows';
import type { problem } from './problem';
import { limit, offset } from './query-fields';

export * from './clients';
export * from './graph';
export type { GraphNodeKind } from './graph-node-kinds';
export * from './health';
export * from './load-rows';
export * from './permalinks';
export { problem } from './problem';
export * from './resource-body';
export * from './resource-rows';
export * from './sources';

/** RFC 9457. */
export const problemDetails = z.object({
  type: z.string(),
  title: z.string(),
  status: z.number().int(),
  detail: z.string(),
  /** The part of the request that is not valid, as in "settings.transport"; absent: the whole. */
  field: z.string().optional(),
});

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

export const clientsQuery = z.strictObject({
  offset: offset('Clients'),
  limit: limit('clients', { min: 1, max: 1_000, otherwise: 500 }),
});

export const lists = {
  /** In the order of the fleet, which changes with the clients. `total`: the number of all clients. */
  clients: list(clientSummary).extend({ offset: z.number().int(), total: z.number().int() }),
  /** By node and cluster. `total` includes rows beyond the limit. `notes`: limits that were reached. */
  load: list(loadRow).extend({ total: z.number().int(), notes: z.array(z.string()) }),
  events: list(notableEvent),
};

export type ClientsPage = z.infer<typeof lists.clients>;
export type LoadRowsPage = z.infer<typeof lists.load>;
export type Problem = z.infer<typeof problem>;
export type ProblemDetails = z.infer<typeof problemDetails>;
export type NotableEvent = z.infer<typeof notableEvent>;
