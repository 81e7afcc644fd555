import * as z from 'zod';
import {
  configStatus,
  freshness,
  node,
  nonces,
  resourceKeys,
  side,
  state,
  vantage,
} from '../../observation/field-schemas';
import { waitingStates } from '../../observation/find-waiting';
import { probeProfiles } from '../../xds/probe-choices';
import { list, time } from '../fields/answer-fields';
import { moment } from '../fields/moment';
import { limit, offset } from '../fields/query-fields';

const report = z.object({
  sourceId: z.string(),
  vantage,
  /** Set for vantage `dump`: the vantage in the recording that the file holds. Absent if the file is not a recording. */
  originalVantage: vantage.optional(),
  side,
  /** The target of the source; absent: the log does not declare it. */
  target: z.string().optional(),
  firstSeenAt: time,
  lastChangedAt: time,
  /** The source's newest successful answer that named this client; absent: none since the restart. */
  lastSeenAt: time.optional(),
  freshness,
  /** The reason why it is stale or gone; empty when live. */
  reason: z.string(),
  notVisible: z.string().optional().meta({
    description:
      "Which rejections of this client the source does not show, as a sentence, when Envoy's bootstrap leaves out their statistics; absent: none are known to be hidden",
  }),
  /**
   * The milliseconds by which the clock of the source is ahead of that of xdscope, at least and at most; negative:
   * behind. They are estimated from the times of updates between two polls; absent: none was seen. They decide no
   * order.
   */
  clockSkew: z.object({ fromMs: z.number(), toMs: z.number() }).optional(),
  /** The number of resources. Documents that a process reports about itself do not count. */
  resources: z.number().int(),
});

const typeSummary = z.object({
  typeUrl: z.string(),
  service: z.string(),
  total: z.number().int(),
  /** Absent states are zero. */
  byState: z.partialRecord(state, z.number().int()),
  /**
   * The status that the control plane reports; absent statuses are zero, an empty record means that no control plane
   * reports.
   */
  byConfigStatus: z.partialRecord(configStatus, z.number().int()),
  /** The status of the whole type that the control plane (istiod) reports; absent: none does. */
  sync: configStatus.optional(),
  worst: state.optional(),
  /** Up to three different versions in use. */
  versions: z.array(z.string()),
  lastChangedAt: time.optional(),
  sizeBytes: z.number().int().optional(),
  /** The number of them that use the v2 API; absent: none. */
  v2: z.number().int().optional(),
  /** Equal for clients with equal resource names and bodies, regardless of versions and order. 32 hex digits. */
  content: z.string(),
  /** The number of them that have a body that no source reported; absent: none. */
  unreported: z.number().int().optional(),
});

/** Resources of a client that wait: in state WARMING, or in a response without an answer. */
const waitingSummary = z.object({
  state: z.enum(waitingStates),
  /** The number of resources that wait. */
  resources: z.number().int(),
  /** The resource that has waited longest; `versionInfo`: the version that warms, or that was sent. */
  typeUrl: z.string(),
  service: z.string(),
  name: z.string(),
  versionInfo: z.string(),
  since: time,
  /** The resources that it waits for; empty: not reported, and always empty for NO_ANSWER. */
  waitsFor: resourceKeys,
});

export const clientSummary = z.object({
  id: z.string(),
  nodeId: z.string(),
  scope: z.string(),
  cluster: z.string(),
  locality: node.shape.locality,
  userAgent: z.string(),
  isProbe: z.boolean(),
  types: z.array(typeSummary),
  /**
   * The number of resources. Documents that a process reports about itself, such as ServerInfo, do not count; `types`
   * has these as well.
   */
  resources: z.number().int(),
  /**
   * The number of resources that are an issue: in a bad state, UNKNOWN without any response, ERROR or STALE; and one more if the
   * client cannot reach its management server.
   */
  trouble: z.number().int(),
  /** The time at which the oldest of these issues began; absent: there is none. */
  troubleSince: time.optional(),
  worst: state.optional(),
  /** The newest reason of trouble, cut to 300 characters; empty if there is none. */
  troubleText: z.string(),
  /** The waiting resources by state; absent: no resource waits. */
  waiting: z.array(waitingSummary).optional(),
  freshness,
  reason: z.string(),
  lastSeenAt: time.optional(),
  lastChangedAt: time,
  reports: z.array(report),
  /**
   * Several sources report the client's side under one node id, with different resources, or several processes use the node id
   * and the target: see `processes`.
   */
  duplicateNodeId: z.boolean(),
  processes: z
    .array(z.string())
    .readonly()
    .optional()
    .describe(
      'Addresses of the processes that use this node id and target through one tap at the same time; the resources are those of all of them. Absent: there is one',
    ),
});
/** The sync status of a whole resource type of a client, as its control plane reports it. */
const typeSync = z.object({
  typeUrl: z.string(),
  service: z.string(),
  configStatus,
  /** The newest time at which the control plane sent the type; absent: not reported. */
  lastUpdated: time.optional(),
  /** The reason why the client rejected the newest response; empty: it did not, or no source reported it. */
  error: z.string(),
  /** Absent: not reported. */
  nonces: nonces.optional(),
});

export const clientDetail = clientSummary.extend({
  node,
  /** The sync status by control plane (istiod); absent: none reports it. */
  sync: z
    .array(
      z.object({
        sourceId: z.string(),
        freshness,
        types: z.array(typeSync),
      }),
    )
    .optional(),
  /** The profile whose rules a probe in mode validate applies; absent: it is not such a probe. */
  asClient: z.enum(probeProfiles).optional(),
  /** Absent: now. */
  moment: moment.optional(),
});

export const clientsQuery = z.strictObject({
  offset: offset('Clients'),
  limit: limit('clients', { min: 1, max: 1_000, otherwise: 500 }),
});

/** The clients in the order of the fleet, which changes with the clients. `total`: the number of all clients. */
export const clientsPage = list(clientSummary).extend({ offset: z.number().int(), total: z.number().int() });

export type ClientSummary = z.infer<typeof clientSummary>;
export type ClientDetail = z.infer<typeof clientDetail>;
export type Report = ClientSummary['reports'][number];
export type WaitingSummary = NonNullable<ClientSummary['waiting']>[number];
export type TypeSummary = ClientSummary['types'][number];
export type SourceSync = NonNullable<ClientDetail['sync']>[number];
export type TypeSync = SourceSync['types'][number];
export type ClientsPage = z.infer<typeof clientsPage>;
