/**
 * The HTTP API's shapes, once: types for the pages, checks for input, and the OpenAPI document are all made from
 * these. Times are ISO 8601 in UTC; null is "not told" or "never", not zero.
 * Pages import types only (`import type`), so that no validator reaches the browser.
 */
import { z } from 'zod';
import { configSourceKinds } from '../model/config-source';
import { referenceHows } from '../model/references';
import { probeProfiles } from '../xds/probe-choices';
import { clientStatuses, configStatuses } from '../xds/status';
import { moment } from './moment';
import { nodeMark } from './node-mark';
import type { problem } from './problem';

export { problem } from './problem';
export * from './sources';

const time = z.iso.datetime();
const clientStatus = z.enum(clientStatuses);
const configStatus = z.enum(configStatuses);
const vantage = z.enum(['probe', 'tap', 'csds', 'lrs', 'dump', 'lab']);
const side = z.enum(['client', 'control-plane']);
const list = <T extends z.ZodType>(item: T) => z.object({ items: z.array(item) });

/** RFC 9457. */
export const problemDetails = z.object({
  type: z.string(),
  title: z.string(),
  status: z.number().int(),
  detail: z.string(),
  /** The part of the request that is wrong, as in "settings.transport"; absent: the whole. */
  field: z.string().optional(),
});

const growth = z.object({ observationsPerMinute: z.number(), bytesPerMinute: z.number() });

export const health = z.object({
  status: z.enum(['ok', 'degraded']),
  version: z.string(),
  startedAt: time,
  recorder: z.object({
    state: z.enum(['recording', 'stopped']),
    reason: z.string(),
    observations: z.number().int(),
    bodies: z.number().int(),
    sizeBytes: z.number().int(),
    oldestAt: time.nullable(),
    newestSeq: z.number().int(),
    /** Observations that did not reach the log since the start of this process. */
    missed: z.number().int(),
    /** A minute, over the last hour and day; null: nothing was recorded in that time. */
    growth: z.object({ hour: growth.nullable(), day: growth.nullable() }),
    /** Written, but without snapshots yet, after a rush: until then a client at their time is read more slowly. */
    notFollowed: z.number().int(),
    /** On their way to the disk. */
    waiting: z.number().int(),
    /** What the log is known to lack, whichever process missed it; `newestAt` is null where that is nothing. */
    gaps: z.object({
      count: z.number().int(),
      observations: z.number().int(),
      newestAt: time.nullable(),
    }),
    /** What retention keeps to; a count of null is any number. */
    limits: z.object({ maxAgeMs: z.number(), maxBytes: z.number(), maxCount: z.number().int().nullable() }),
    /** What of the log's upkeep failed newest, and why, as in "retention: disk I/O error"; empty when nothing did. */
    retentionProblem: z.string(),
  }),
  /** The recording of load, since the start of this process: reports on a cluster. */
  load: z.object({
    reports: z.number().int(),
    /** The disk had no room for them. */
    missed: z.number().int(),
    /** Lines of them that were one series too many. */
    leftOut: z.number().int(),
    /** Why it is not being written; empty while it is. */
    problem: z.string(),
  }),
  sources: z.object({ total: z.number().int(), up: z.number().int(), down: z.number().int() }),
  /** To our CSDS questions; undecoded: those that were the one before once more, byte for byte. */
  csds: z.object({ answers: z.number().int(), undecoded: z.number().int() }),
  /** How late the event loop that serves pages was lately. */
  eventLoop: z.object({ p50Ms: z.number(), p99Ms: z.number(), maxMs: z.number() }),
  lab: z.boolean(),
});

export const locality = z.object({ region: z.string(), zone: z.string(), subZone: z.string() });
export const node = z.object({
  id: z.string(),
  cluster: z.string(),
  locality: locality.nullable(),
  userAgentName: z.string(),
  userAgentVersion: z.string(),
  clientFeatures: z.array(z.string()),
  metadata: z.record(z.string(), z.unknown()),
});

/** One source's word on one client. */
export const report = z.object({
  sourceId: z.string(),
  vantage,
  side,
  firstSeenAt: time,
  lastChangedAt: time,
  /** The source's newest successful answer that still named this client; null when not since the restart. */
  lastSeenAt: time.nullable(),
  freshness: z.enum(['live', 'stale', 'gone']),
  /** Why it is stale or gone, in words; empty when live. */
  reason: z.string(),
  resources: z.number().int(),
});

/** What a client has of one resource type. */
export const typeSummary = z.object({
  typeUrl: z.string(),
  service: z.string(),
  total: z.number().int(),
  byClientStatus: z.partialRecord(clientStatus, z.number().int()),
  /** The control plane's word; absent statuses are zero, an empty record means that no control plane spoke. */
  byConfigStatus: z.partialRecord(configStatus, z.number().int()),
  worst: clientStatus.nullable(),
  /** Up to three different versions in use. */
  versions: z.array(z.string()),
  lastChangedAt: time.nullable(),
  sizeBytes: z.number().int().nullable(),
  /** How many of them came in the v2 API; not there: none. */
  v2: z.number().int().optional(),
  /**
   * Equal for clients that run the same: resource names and bodies, whatever the versions and the order. 32 hex digits.
   * Not there: of before it was told.
   */
  content: z.string().optional(),
  /** How many of them nobody told the body of; not there: none. */
  untold: z.number().int().optional(),
});

export const clientSummary = z.object({
  id: z.string(),
  nodeId: z.string(),
  scope: z.string(),
  cluster: z.string(),
  locality: locality.nullable(),
  userAgent: z.string(),
  isProbe: z.boolean(),
  types: z.array(typeSummary),
  resources: z.number().int(),
  trouble: z.number().int(),
  worst: clientStatus.nullable(),
  /** The newest reason of trouble, cut to 300 characters; empty when there is none. */
  troubleText: z.string(),
  freshness: z.enum(['live', 'stale', 'gone']),
  reason: z.string(),
  lastSeenAt: time.nullable(),
  lastChangedAt: time,
  reports: z.array(report),
  /** Several sources tell the client's side under one node id and disagree. */
  duplicateNodeId: z.boolean(),
});
/** What a control plane says of a whole type of a client. */
export const typeSync = z.object({
  typeUrl: z.string(),
  service: z.string(),
  configStatus,
  /** When it sent something last; null: not told. */
  lastUpdated: time.nullable(),
  /** Why the client refused what was sent last; empty: it did not, or nobody told. */
  error: z.string(),
  /** Not there: not told. */
  nonces: z.object({ sent: z.string(), acked: z.string() }).optional(),
});

export const clientDetail = clientSummary.extend({
  node,
  /** Control planes that keep books of whole types (istiod), each with its own; not there: none. */
  sync: z
    .array(
      z.object({
        sourceId: z.string(),
        freshness: z.enum(['live', 'stale', 'gone']),
        types: z.array(typeSync),
      }),
    )
    .optional(),
  /** Of our own probe that accepts and refuses as a client would: whose rules it applies; not there: no such probe. */
  asClient: z.enum(probeProfiles).optional(),
  /** Not there: as it is now. */
  moment: moment.optional(),
});

export const errorState = z.object({
  details: z.string(),
  versionInfo: z.string(),
  lastUpdateAttempt: time.nullable(),
  failedHash: z.string().nullable(),
});

const stage = z.enum(['active', 'warming', 'draining']);

/** One resource of one client: the client's word, and beside it the control plane's. */
export const resourceRow = z.object({
  typeUrl: z.string(),
  service: z.string(),
  name: z.string(),
  versionInfo: z.string(),
  clientStatus,
  configStatus,
  lastUpdated: time.nullable(),
  errorState: errorState.nullable(),
  hash: z.string().nullable(),
  sizeBytes: z.number().int().nullable(),
  isStatic: z.boolean(),
  /** Trouble of a resource that is in use all the same (gRFC A88); not there: none that is known. */
  ambientError: z.object({ code: z.string(), details: z.string(), since: time }).optional(),
  /** It came in the v2 API; not there: v3. */
  apiVersion: z.literal('v2').optional(),
  /** The name that the server gave it, where it was asked for by an alias. */
  canonicalName: z.string().optional(),
  /** Of Envoy: it is not in use yet, or not for new connections; not there: it is in use, or nobody told. */
  stage: stage.optional(),
  /** Of a row that is about a whole type (its name is empty), as istiod's books have them; not there: not told. */
  nonces: z.object({ sent: z.string(), acked: z.string() }).optional(),
  /** Versions that Envoy holds beside this one; not there: none. */
  otherVersions: z
    .array(
      z.object({
        stage,
        versionInfo: z.string(),
        lastUpdated: time.nullable(),
        hash: z.string().nullable(),
        sizeBytes: z.number().int().nullable(),
      }),
    )
    .optional(),
  changedAt: time,
  /** Whose word clientStatus, version and hash are. */
  sourceId: z.string(),
  side,
  /** The control plane's word, where one spoke beside the client. */
  controlPlane: z
    .object({ sourceId: z.string(), versionInfo: z.string(), hash: z.string().nullable(), changedAt: time })
    .nullable(),
});

export const graphNodeKinds = [
  'listener',
  'route-config',
  'virtual-host',
  'route',
  'cluster',
  'priority',
  'locality',
  'endpoint',
  /** An EDS resource without endpoints to show: not received yet, not existing, empty. Else its priorities stand for it. */
  'endpoints',
  'secret',
  'aggregate',
] as const;
/**
 * What the graph says of a node. Resource nodes carry their ClientStatus; endpoints their EDS health
 * (envoy.config.core.v3.HealthStatus); MISSING is a reference to what the client does not hold.
 */
export const graphNodeStatuses = [
  ...clientStatuses,
  'HEALTHY',
  'UNHEALTHY',
  'DRAINING',
  'DEGRADED',
  'MISSING',
  'NONE',
] as const;
export const graphNode = z.object({
  id: z.string(),
  kind: z.enum(graphNodeKinds),
  /** The whole name; the drawing shortens. */
  name: z.string(),
  status: z.enum(graphNodeStatuses),
  /** A second line in words, as in "weight 80", "prefix /cart", "4 endpoints, 1 unhealthy". */
  detail: z.string(),
  /** The resource that it is, or is part of. */
  typeUrl: z.string().nullable(),
  resourceName: z.string().nullable(),
  hash: z.string().nullable(),
  /** The reason behind a bad status; empty when there is none. */
  reason: z.string(),
  /** For an aggregate: how many nodes of which kind it stands for, and how many of them are in trouble. */
  stands: z
    .object({ kind: z.enum(graphNodeKinds), count: z.number().int(), trouble: z.number().int() })
    .nullable(),
});
export const graphEdgeKinds = [
  'rds',
  'inline',
  'contains',
  'routes',
  'weighted',
  'mirror',
  'aggregate',
  'eds',
  'priority',
  'member',
  'tls',
] as const;
export const graphEdge = z.object({
  id: z.string(),
  source: z.string(),
  target: z.string(),
  kind: z.enum(graphEdgeKinds),
  /** As in "80 %" or "fallback 2"; empty when there is nothing to say. */
  label: z.string(),
});
export const graph = z.object({
  clientId: z.string(),
  at: time,
  nodes: z.array(graphNode),
  edges: z.array(graphEdge),
  /** Before aggregation. */
  totals: z.object({ nodes: z.number().int(), edges: z.number().int() }),
  aggregated: z.boolean(),
  /** By node id, aggregates left out: what the resolved config makes of it. Only when asked for by `resolve`. */
  marks: z.record(z.string(), nodeMark).optional(),
  /** Not there: now. */
  moment: moment.optional(),
});

/** A resource's body as text. */
export const resourceBody = z.object({
  hash: z.string(),
  typeUrl: z.string(),
  sizeBytes: z.number().int(),
  /** The text in the format asked for. */
  text: z.string(),
  /** Parts that could not be decoded: an unknown Any type, invalid protobuf. They are in the text as bytes. */
  opaque: z.array(
    z.object({
      path: z.string(),
      typeUrl: z.string(),
      sizeBytes: z.number().int(),
      hash: z.string(),
      reason: z.string(),
    }),
  ),
  /** Fields that their message's type does not have. They are in the text, as "xdscope.unknown". */
  unknown: z.array(
    z.object({
      /** Of the message that the field is in, '' for the body itself. */
      path: z.string(),
      field: z.number().int(),
      wireType: z.enum(['varint', 'fixed64', 'bytes', 'group', 'fixed32']),
      sizeBytes: z.number().int(),
      hash: z.string(),
    }),
  ),
  /** Parts of v2 types, which were read through their v3 twins. */
  v2: z.array(z.object({ path: z.string(), typeUrl: z.string(), readAs: z.string() })),
  /** Field paths whose values were redacted before they were stored. */
  redacted: z.array(z.string()),
});

const resourceLink = z.object({
  typeUrl: z.string(),
  name: z.string(),
  held: z.boolean(),
  /** In which part of the resource, as in "rds", "weighted", "tls". */
  how: z.enum(referenceHows),
  /** What the reference's ConfigSource says; null where a name alone is enough. */
  from: z.enum(configSourceKinds).nullable(),
});
/** References of one resource of one client, both directions. */
export const resourceLinks = z.object({
  uses: z.array(resourceLink),
  usedBy: z.array(resourceLink),
  /** Not there: now. */
  moment: moment.optional(),
});

/** What a permalink keeps of the page: path and query, and the picture's pan and zoom. All of it is the page's own. */
export const view = z.object({
  tab: z.enum(['graph', 'resolved', 'failover', 'resources', 'load', 'findings', 'history']).default('graph'),
  /** The page's own query parameters: selection, filters, search. */
  query: z.record(z.string(), z.string()).default({}),
  transform: z.object({ x: z.number(), y: z.number(), k: z.number() }).nullable().default(null),
});
export const newPermalink = z.object({
  clientId: z.string(),
  view: view.prefault({}),
  /** The moment that is frozen, as in the URL of GET clients/{id}; left out: the one of the view's query, or now. */
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
  /** The moment in the past that was frozen; not there: the one at which it was made. */
  moment: moment.optional(),
  /** The span whose load it keeps; not there: none. */
  load: z.object({ from: time, to: time }).optional(),
});

export const localityLoad = z.object({
  locality,
  priority: z.number().int(),
  successful: z.string(),
  errors: z.string(),
  issued: z.string().nullable(),
  inProgress: z.string(),
  /** Over the newest report. */
  successfulPerSecond: z.number().nullable(),
  errorsPerSecond: z.number().nullable(),
});
/** Load of one client to one cluster: sums since the first report, and the newest report's rates. */
export const loadRow = z.object({
  clientId: z.string(),
  nodeId: z.string(),
  clusterName: z.string(),
  clusterServiceName: z.string(),
  reports: z.number().int(),
  firstReportAt: time,
  lastReportAt: time,
  intervalMs: z.number().nullable(),
  totalDropped: z.string(),
  dropped: z.array(z.object({ category: z.string(), count: z.string() })),
  localities: z.array(localityLoad),
});

/** Something worth a line on the Overview. */
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
  /** ClientStatus where it is about a resource. */
  status: z.enum(clientStatuses).nullable(),
  text: z.string(),
  isTrouble: z.boolean(),
});

/** GET clients: so many at once, as an answer of ten thousand would be megabytes. */
export const clientsQuery = z.strictObject({
  offset: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(1_000).default(500),
});

/** GET load: those that reported last; ten thousand clients have a hundred thousand lines. */
export const loadQuery = z.strictObject({
  client: z.string().min(1).optional(),
  cluster: z.string().min(1).optional(),
  limit: z.coerce.number().int().min(1).max(1_000).default(500),
});

export const lists = {
  /** In the order of the fleet, which changes as clients come and go. `total`: of all of them. */
  clients: list(clientSummary).extend({ offset: z.number().int(), total: z.number().int() }),
  /** By node and cluster. `total`: with those beyond the limit. */
  load: list(loadRow).extend({ total: z.number().int() }),
  events: list(notableEvent),
};

export type ClientsPage = z.infer<typeof lists.clients>;
export type LoadRowsPage = z.infer<typeof lists.load>;
export type Problem = z.infer<typeof problem>;
export type ProblemDetails = z.infer<typeof problemDetails>;
export type Health = z.infer<typeof health>;
export type Report = z.infer<typeof report>;
export type TypeSummary = z.infer<typeof typeSummary>;
export type ClientSummary = z.infer<typeof clientSummary>;
export type ClientDetail = z.infer<typeof clientDetail>;
export type TypeSync = z.infer<typeof typeSync>;
export type ResourceRow = z.infer<typeof resourceRow>;
export type GraphNodeKind = (typeof graphNodeKinds)[number];
export type GraphNodeStatus = (typeof graphNodeStatuses)[number];
export type GraphEdgeKind = (typeof graphEdgeKinds)[number];
export type GraphNode = z.infer<typeof graphNode>;
export type GraphEdge = z.infer<typeof graphEdge>;
export type Graph = z.infer<typeof graph>;
export type ResourceBody = z.infer<typeof resourceBody>;
export type ResourceLinks = z.infer<typeof resourceLinks>;
export type View = z.infer<typeof view>;
export type NewPermalink = z.infer<typeof newPermalink>;
export type Permalink = z.infer<typeof permalink>;
export type LoadRow = z.infer<typeof loadRow>;
export type NotableEvent = z.infer<typeof notableEvent>;
