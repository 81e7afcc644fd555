/**
 * GET clients/{id}/connections and GET permalinks/{id}/connections: the endpoints of the client's config, and whether it is
 * connected to them.
 *
 *   source          what reports the connections; absent: nothing does
 *   servers         channels to other targets than xds: those to management servers, and others of the process
 *   listeners       listeners of the config beside the sockets on which the process listens, at most 50, those that do not
 *                   serve first; API listeners have none
 *   endpoints       page of endpoints, by cluster, priority and locality unless sorted otherwise
 */

import * as z from 'zod';
import { connectionFigures } from '../../observation/connection-schemas';
import { reportedStates } from '../../observation/connection-states';
import { state } from '../../observation/field-schemas';
import { vantages } from '../../observation/vantage';
import { time } from '../fields/answer-fields';
import { moment } from '../fields/moment';
import { described, limit, offset } from '../fields/query-fields';
import { endpointSortColumns } from './sort-columns';

const count = z.number().int();

const sorts = [
  ...endpointSortColumns,
  ...endpointSortColumns.map((column) => `-${column}` as const),
] as const;

export const connectionsQuery = z.strictObject({
  only: described(
    z.enum(['disagreements', 'all']).default('all'),
    'disagreements: only endpoints whose connections do not fit the health in the config.',
  ),
  q: described(
    z.string().max(4_096).default(''),
    'Only endpoints whose cluster, locality, address or error contains this text.',
  ),
  sort: described(
    z.enum(sorts).optional(),
    'A column; with "-" in descending order. Default: by cluster, priority, locality and address.',
  ),
  offset: offset('Endpoints'),
  limit: limit('endpoints', { max: 1_000, otherwise: 100 }),
});
export type ConnectionsQuery = z.infer<typeof connectionsQuery>;

export type ConnectionFiguresAnswer = z.infer<typeof connectionFigures>;

/** States and counts of one connection, or of all that have the same address. */
const connected = {
  /** The state by gRPC's connectivity semantics; for a host of Envoy, its health. */
  state: z.enum(reportedStates),
  /** The time at which the state began. */
  since: time,
  /** It began before the first poll, at an unknown time. */
  isSinceFirstPoll: z.boolean(),
  /** The time since which attempts to connect have failed; absent: none has since it was last READY. */
  failingSince: time.optional(),
  /** The error of the last failed attempt, or why Envoy excludes the host; empty if it is not reported. */
  lastError: z.string(),
  /** Absent: not reported. */
  figures: connectionFigures.optional(),
};

/** `failing`: usable by its health, and attempts to connect fail. `unhealthy`: READY, and unusable by its health. */
const disagreements = ['failing', 'unhealthy'] as const;
export type Disagreement = (typeof disagreements)[number];

/**
 * The reasons why there is no connection: nothing reports connections, the priority was not tried, or another reason.
 */
const absences = ['not-reported', 'priority-not-tried', 'not-usable', 'none', 'dns', 'no-host'] as const;
export type Absence = (typeof absences)[number];

const connectionRow = z.object({
  /** Equal in the next answer. */
  id: z.string(),
  cluster: z.string(),
  /** Absent: the address is in no cluster of the config. */
  priority: count.optional(),
  locality: z.string(),
  address: z.string(),
  /** envoy.config.core.v3.HealthStatus; absent: the address is in no cluster of the config. */
  health: z.string().optional(),
  /** The reason why Envoy excludes the host; empty if it does not. */
  excludedBecause: z.string(),
  weight: z.number().optional(),
  connection: z.object(connected).optional(),
  /** Set if there is no connection. */
  absence: z.enum(absences).optional(),
  /** Other clusters with this address, if it is not known to which of them the connections belong. */
  sharedWith: z.array(z.string()),
  disagreement: z.enum(disagreements).optional(),
});
export type ConnectionRow = z.infer<typeof connectionRow>;

const channelRow = z.object({
  id: z.string(),
  target: z.string(),
  /** Addresses that it is connected to, or connects to: the first 10. */
  addresses: z.array(z.string()),
  /** True if it is known to lead to a management server of the client. */
  isManagementServer: z.boolean(),
  ...connected,
});
export type ChannelRow = z.infer<typeof channelRow>;

/**
 * `serving`: clients are connected to the socket, which a gRPC server that does not serve never allows. `listening`: none is,
 * or it is not reported, so that it is not known whether a gRPC server serves; a listener of Envoy that listens serves.
 */
const listenerStatuses = ['serving', 'listening', 'not-serving', 'not-reported'] as const;

/**
 * The reasons why a listener does not serve: no socket of the process listens on its address, the socket of the gRPC
 * server has another address, or the server has no valid config (gRFC A36).
 */
const notServingReasons = ['no-socket', 'other-address', 'no-config'] as const;

const listenerRow = z.object({
  id: z.string(),
  /** Empty: the socket has no listener in the config. */
  name: z.string(),
  /** The address in the config, or of a socket without a listener there; empty if it is not known. */
  address: z.string(),
  /** The state of the Listener; absent: the config has none. */
  state: state.optional(),
  status: z.enum(listenerStatuses),
  /** Absent: it serves, or it is not known. */
  notServingBecause: z.enum(notServingReasons).optional(),
  /** Absent: no socket. */
  since: time.optional(),
  isSinceFirstPoll: z.boolean(),
  figures: connectionFigures.optional(),
});
export type ListenerRow = z.infer<typeof listenerRow>;

export const connectionsPage = z.object({
  clientId: z.string(),
  at: time,
  revision: z.string(),
  source: z
    .object({
      sourceId: z.string(),
      vantage: z.enum(vantages),
      freshness: z.enum(['live', 'stale', 'gone']),
      reason: z.string(),
      changedAt: time,
      /** The time at which the counts were read; absent: they are not known. */
      countedAt: time.optional(),
    })
    .optional(),
  channels: z.array(channelRow),
  servers: z.array(channelRow),
  listeners: z.array(listenerRow),
  counts: z.object({
    ...{ endpoints: count, ready: count, failing: count, disagreements: count },
    ...{ listeners: count, notServing: count },
  }),
  /** Outlier detection of a cluster can eject endpoints. Of gRPC clients only Go reports that, as the state EJECTED. */
  hasOutlierDetection: z.boolean(),
  /** The client counts no RPC that ends before a connection is chosen, such as one that its config fails: gRPC-Java. */
  countsConnectedOnly: z.boolean(),
  endpoints: z.object({ total: count, offset: count, items: z.array(connectionRow) }),
  moment: moment.optional(),
});
export type ConnectionsPage = z.infer<typeof connectionsPage>;
