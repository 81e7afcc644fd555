import * as z from 'zod';
import { probeTransports } from '../xds/probe-choices';
import { connection } from './connection-schemas';
import { count, epochMs, hash, locality, node, resourceKeys, side, texts, vantage } from './field-schemas';
import { interopStep } from './interop-step-schema';
import { resourceState } from './resource-schemas';
import { sourceKinds } from './source-kinds';
import { methodCounts, rpcBlock, rpcConfiguration, serverServing } from './test-client-schemas';

/** 64-bit counters travel as decimal strings: they may exceed 2^53. */
const uint64 = z.string().regex(/^\d{1,20}$/);

/** A custom metric that backends report with each request (ORCA, gRFCs A64 and A85). Both numbers are deltas. */
const metric = z.object({
  name: z.string(),
  count: uint64,
  /** Sum of the values; null if it is not finite. */
  sum: z.number().finite().nullable(),
});

const requests = {
  /** Deltas over the interval. */
  successful: uint64,
  errors: uint64,
  /** null when the client never sets it (grpc-go). Proto3 does not distinguish 0 from unset: see server/collect/lrs. */
  issued: uint64.nullable(),
  /** A gauge at the moment of the report. */
  inProgress: uint64,
  /** Absent: none. */
  metrics: z.array(metric).optional(),
};

const endpointLoad = z.object({
  /** "10.0.0.1:8080", or the path of a pipe. */
  address: z.string(),
  ...requests,
});

const localityLoad = z.object({
  locality,
  priority: count,
  ...requests,
  /** Deltas, and the gauge. gRPC clients send none of them. Absent: 0 or not set. */
  newConnections: uint64.optional(),
  failedConnections: uint64.optional(),
  activeConnections: uint64.optional(),
  /** Set if the client was requested to report endpoints, and does. Absent: none. */
  endpoints: z.array(endpointLoad).optional(),
});

const clusterLoad = z.object({
  clusterName: z.string(),
  clusterServiceName: z.string(),
  /** As reported; null where unset or absurd: the first report of grpc-go claims 292 years. See server/collect/lrs. */
  intervalMs: z.number().finite().nullable(),
  totalDropped: uint64,
  dropped: z.array(z.object({ category: z.string(), count: uint64 })),
  localities: z.array(localityLoad),
});

/** The declaration of a source: recorded once, before its first observation. */
export const declaredSource = z.object({
  kind: z.enum(sourceKinds),
  /** The target as the list of sources shows it. */
  target: z.string(),
  /** The address of the management server whose responses the source observes. Absent if it observes none. */
  server: z.string().optional(),
  /**
   * Set only on probes that use several management servers: those of each authority, the most preferred first. null: the
   * top-level ones.
   */
  authorities: z
    .array(z.object({ authority: z.string().nullable(), servers: z.array(z.string()).readonly() }))
    .readonly()
    .optional(),
  /** Set only on probes. */
  transport: z.enum(probeTransports).optional(),
  /** The id of the `file` source that holds the recording of the source. Absent on sources of this process. */
  fileId: z.string().optional(),
});

const base = {
  at: epochMs,
  vantage,
  /** Set only with the vantage `dump`: the vantage in the imported recording. Absent if the file is not a recording. */
  originalVantage: vantage.optional(),
  sourceId: z.string(),
  /**
   * Set if an observation is split because it has too many rows: the parts, numbered from 1, follow each other, and differ
   * only in their lists. Absent: it is whole.
   */
  part: z.object({ number: count, of: count }).optional(),
};
/** `clientId`: clientIdOf(node id, scope). */
const ofClient = { ...base, clientId: z.string() };
const ofStream = { ...ofClient, streamId: z.string() };
/** `scope`: gRFC A71: target URI or "#server". Empty if the client does not report it. */
const identity = { node, scope: z.string() };

export const typeVersions = z.array(
  z.object({
    typeUrl: z.string(),
    /** The version that a client ACKed last for all resources of the type that have no version of their own. */
    versionInfo: z.string(),
  }),
);

/** The changes of one report. Rows that are not named are unchanged. */
const changes = {
  changed: z.array(resourceState),
  removed: resourceKeys,
  /** The types whose version changed: one entry stands for any number of rows. Absent: none. */
  typeVersions: typeVersions.optional(),
};

/** Milliseconds, with fractions. */
const tookMs = z.number().nonnegative().finite().optional();

const answer = {
  ...{ ...ofStream, ...changes },
  typeUrl: z.string(),
  /** As sent: a NACK has the last accepted version. */
  versionInfo: z.string(),
  nonce: z.string(),
  /**
   * As in request-sent, if the answer changes the subscription at the same time. Absent: the same names (state of the
   * world), or none (delta).
   */
  resourceNames: texts.optional(),
  unsubscribedNames: texts.optional(),
  /** Time since the receipt of the response. Absent: not known. */
  tookMs,
  /**
   * The message, a poll of REST, has no response_nonce: it answers the response by its version_info. Of a NACK it has no
   * error_detail either: `errorDetail` states the evidence.
   */
  isInferred: z.literal(true).optional(),
};

/** Validates what folds and views assume about observations in a file of another program. Unknown fields are dropped. */
export const observation = z.discriminatedUnion('kind', [
  /** Declares the kind and target of the source, before its first observation and after each change. */
  z.object({ ...base, kind: z.literal('source-declared'), source: declaredSource }),
  z.object({ ...base, kind: z.literal('source-up') }),
  z.object({
    ...base,
    kind: z.literal('source-down'),
    problem: z.object({
      /** Stable and short, as in "UNAVAILABLE" or "NOT_HTTP2". */
      code: z.string(),
      /** One sentence with the expected and the actual value. */
      message: z.string(),
      /** Advice on what to try. Empty: there is no advice. */
      hint: z.string(),
    }),
  }),
  /** A CSDS answer reported something new about one client (one ClientConfig). Unchanged answers make no observation. */
  z.object({
    ...{ ...ofClient, ...identity, ...changes },
    kind: z.literal('client-config-changed'),
    side,
    /**
     * The time of the poll before, which reported none of these changes: they happened after it and before `at`.
     * Absent: the source was not polled before, or did not answer for this client.
     */
    previousAt: epochMs.optional(),
  }),
  /** The source answers, but names this client no longer. */
  z.object({
    ...ofClient,
    kind: z.literal('client-gone'),
    side,
    reason: z.string(),
    /** The time of the poll before, which still named the client. Absent if that is not known. */
    previousAt: epochMs.optional(),
  }),
  /** Vantages: probe, tap and lrs. `node` and `scope` identify the client. */
  z.object({
    ...{ ...ofStream, ...identity },
    kind: z.literal('stream-opened'),
    server: z.string(),
    method: z.string(),
    /** The client starts with nothing cached, so what an earlier process of it held is no longer true. */
    cacheEmpty: z.boolean().optional(),
    /** The client's address of the connection to the tap, as in "127.0.0.1:43210". */
    peer: z.string().optional(),
  }),
  z.object({
    ...ofStream,
    kind: z.literal('stream-closed'),
    /** gRPC status code name and details. */
    code: z.string(),
    details: z.string(),
    /** gRFC A57: a stream that ends before any response is a connectivity error. */
    hadResponse: z.boolean(),
    /** Number of other streams of the client that are still open (one for each server or type). Absent: 0. */
    othersOpen: count.optional(),
  }),
  /**
   * A DiscoveryRequest that is neither ACK nor NACK: a subscription. New names become REQUESTED (in `changed`). One message
   * is one observation: an ACK or NACK that changes the subscription has the names as well.
   */
  z.object({
    ...{ ...ofStream, ...changes },
    kind: z.literal('request-sent'),
    typeUrl: z.string(),
    resourceNames: texts,
    /** Delta: resource_names_unsubscribe. Absent: none. */
    unsubscribedNames: texts.optional(),
    versionInfo: z.string(),
    responseNonce: z.string(),
  }),
  z.object({
    ...ofStream,
    kind: z.literal('response-received'),
    typeUrl: z.string(),
    versionInfo: z.string(),
    nonce: z.string(),
    sizeBytes: count,
    /** Resources whose bytes the client did not hold: a full response of 30,000 with one change names one. */
    resources: z.array(z.object({ name: z.string(), hash, sizeBytes: count })),
    /** Number of other resources in the response, which the client holds unchanged. */
    unchangedResources: count.optional(),
    /**
     * Every resource name in the response, in order. Set only if it cannot be concluded: state of the world with a part
     * of the resources of the type. Absent: all that the client holds after it (state of the world), or those in
     * `resources` (delta).
     */
    names: texts.optional(),
    /** Delta: removed_resources. Absent: none. */
    removedNames: texts.optional(),
    /** Time since the newest unanswered request of the type. Absent: the response was a push. */
    tookMs,
    controlPlane: z.string(),
    apiVersion: z.literal('v2').optional(),
    /**
     * Number of responses of the type since the last one that was reported, this one included, of which the earlier ones
     * changed nothing. Absent: 1.
     */
    repeats: count.optional(),
  }),
  z.object({ ...answer, kind: z.literal('ack-sent') }),
  z.object({
    ...answer,
    kind: z.literal('nack-sent'),
    rejectedVersion: z.string(),
    /** error_detail.message. */
    errorDetail: z.string(),
    /** error_detail.code, a gRPC status code. Absent: it was not recorded. */
    errorCode: z.number().int().optional(),
    /** Number of equal NACKs since the last one that was reported, this one included, each of another response. Absent: 1. */
    repeats: count.optional(),
  }),
  /** Copies of messages that the tap dropped because recording was too slow. The stream itself was not affected. */
  z.object({
    ...ofStream,
    kind: z.literal('copies-dropped'),
    messages: count,
    bytes: count,
    /** The time at which the first dropped message passed. The last one passed at `at`. */
    from: epochMs,
    reason: z.string(),
  }),
  /** A timer of resources expired: they became DOES_NOT_EXIST (gRFC A88: TIMEOUT) or were removed. */
  z.object({
    ...{ ...ofStream, ...changes },
    kind: z.literal('timer-expired'),
    /** `resource` (the default): no response contained them. `ttl`: their TTL expired. */
    timer: z.enum(['resource', 'ttl']).optional(),
  }),
  /** gRFC A71: an authority uses another server. */
  z.object({
    ...ofClient,
    kind: z.literal('server-switched'),
    /** null: old-style names, which use the top-level servers. */
    authority: z.string().nullable(),
    from: z.string(),
    to: z.string(),
    /** `fallback`: to a less preferred server; `return`: back to a more preferred one. */
    direction: z.enum(['fallback', 'return']),
    reason: z.string(),
    /** Set if the client has opened no stream yet, because no other observation reported its node. */
    node: node.optional(),
  }),
  /** The cache of the client changed without a message that was recorded. */
  z.object({ ...ofClient, ...changes, kind: z.literal('cache-changed'), reason: z.string() }),
  z.object({
    ...{ ...ofStream, ...identity },
    kind: z.literal('load-reported'),
    clusters: z.array(clusterLoad),
    /** Number of earlier reports of the stream that are only in the load series and not in the log. Absent: 0. */
    leftOut: count.optional(),
  }),
  /**
   * A poll of channelz found other channels, subchannels or listeners of the client's process, or other states of them.
   * Counts alone are not a change.
   */
  z.object({
    ...{ ...ofClient, ...identity },
    kind: z.literal('connections-changed'),
    connections: z.array(connection),
    endedIds: texts,
    /** These are all that there are: earlier ones that are not among them have ended. */
    isComplete: z.literal(true).optional(),
  }),
  /**
   * A test client (gRPC xDS interop tests) has other counts of RPCs. Counts that grow as before are reported at an
   * interval; counts equal to those before mean that no RPC started or ended since.
   */
  z.object({ ...ofClient, ...identity, kind: z.literal('rpcs-counted'), methods: z.array(methodCounts) }),
  /** xdscope requested the statistics of a number of RPCs of a test client (GetClientStats). */
  z.object({ ...ofClient, ...identity, ...rpcBlock.shape, kind: z.literal('rpc-block-counted') }),
  /** xdscope configured the RPCs of a test client (XdsUpdateClientConfigureService). */
  z.object({
    ...ofClient,
    ...identity,
    ...rpcConfiguration.shape,
    kind: z.literal('test-client-configured'),
  }),
  /** xdscope set whether a server of the interop tests serves (XdsUpdateHealthService). */
  z.object({ ...ofClient, ...identity, ...serverServing.shape, kind: z.literal('test-server-set') }),
  /** A step of a run of the gRPC interop tests with the client has its result (server/lab/interop-runs). */
  z.object({ ...ofClient, ...interopStep.shape, kind: z.literal('interop-step') }),
  /** The embedded lab did something: a background fault, a crash, a restart. */
  z.object({
    ...base,
    kind: z.literal('lab-event'),
    /** Stable identifier, as in "client-crashed", "client-restarted", "backend-stopped", "bad-resource-pushed". */
    what: z.string(),
    subject: z.string(),
    text: z.string(),
  }),
]);
