import * as z from 'zod';
import type { ClientReport } from '@/lib/observation/client-state';
import { type DeclaredSource, sourceKinds } from '@/lib/observation/declared-source';
import type { NodeInfo, Observation } from '@/lib/observation/observation';
import { doubts, type ResourceState } from '@/lib/observation/resource-state';
import { vantages } from '@/lib/observation/vantage';
import { probeTransports } from '@/lib/xds/probe-choices';
import { clientStatuses, configStatuses } from '@/lib/xds/status';
import { connectionRecord } from './connection-record';

/**
 * Validates what folds and views assume about observations in a file of another program. Unknown fields are dropped.
 */
/** The range of Date. */
const moment = z.number().min(-8.64e15).max(8.64e15);
const count = z.number().int().nonnegative();
const took = z.number().nonnegative().finite().optional();
const vantage = z.enum(vantages);
const side = z.enum(['client', 'control-plane']);
const hash = z.string().regex(/^[0-9a-f]{64}$/);
const locality = z.object({ region: z.string(), zone: z.string(), subZone: z.string() });
const texts = z.array(z.string());

const node = z.object({
  id: z.string(),
  cluster: z.string(),
  locality: locality.nullable(),
  userAgentName: z.string(),
  userAgentVersion: z.string(),
  clientFeatures: texts,
  metadata: z.record(z.string(), z.unknown()),
}) satisfies z.ZodType<NodeInfo>;

const stage = z.enum(['active', 'warming', 'draining']);

const heldVersion = z.object({
  stage,
  versionInfo: z.string(),
  lastUpdated: moment.nullable(),
  hash: hash.nullable(),
  sizeBytes: count.nullable(),
});

const resource = z.object({
  typeUrl: z.string(),
  name: z.string(),
  versionInfo: z.string(),
  contentVersion: z.string().optional(),
  hasOwnVersion: z.literal(true).optional(),
  clientStatus: z.enum(clientStatuses),
  configStatus: z.enum(configStatuses),
  lastUpdated: moment.nullable(),
  errorState: z
    .object({
      details: z.string(),
      versionInfo: z.string(),
      lastUpdateAttempt: moment.nullable(),
      failedHash: hash.nullable(),
      statistic: z.string().optional(),
      successes: z.number().optional(),
      mayBeInEffect: z.literal(true).optional(),
    })
    .nullable(),
  hash: hash.nullable(),
  sizeBytes: count.nullable(),
  isStatic: z.boolean(),
  ambientError: z.object({ code: z.string(), details: z.string(), since: moment }).optional(),
  apiVersion: z.literal('v2').optional(),
  canonicalName: z.string().optional(),
  stage: stage.optional(),
  unanswered: z.object({ versionInfo: z.string(), at: moment, hash: hash.nullable() }).optional(),
  doubt: z.enum(doubts).optional(),
  nonces: z.object({ sent: z.string(), acked: z.string() }).optional(),
  otherVersions: z.array(heldVersion).optional(),
  waitsFor: z.array(z.object({ typeUrl: z.string(), name: z.string() })).optional(),
  changedAt: moment,
}) satisfies z.ZodType<ResourceState>;

const base = {
  at: moment,
  vantage,
  originalVantage: vantage.optional(),
  sourceId: z.string(),
  part: z.object({ number: count, of: count }).optional(),
};
const ofClient = { ...base, clientId: z.string() };
const ofStream = { ...ofClient, streamId: z.string() };
const typeVersions = z.array(z.object({ typeUrl: z.string(), versionInfo: z.string() })).optional();
const changes = {
  changed: z.array(resource),
  removed: z.array(z.object({ typeUrl: z.string(), name: z.string() })),
  typeVersions,
};
const answer = { typeUrl: z.string(), versionInfo: z.string(), nonce: z.string(), tookMs: took };
const uint64 = z.string().regex(/^\d{1,20}$/);

const loadMetrics = z
  .array(z.object({ name: z.string(), count: uint64, sum: z.number().finite().nullable() }))
  .optional();

const load = z.object({
  clusterName: z.string(),
  clusterServiceName: z.string(),
  intervalMs: z.number().finite().nullable(),
  totalDropped: uint64,
  dropped: z.array(z.object({ category: z.string(), count: uint64 })),
  localities: z.array(
    z.object({
      locality,
      priority: count,
      successful: uint64,
      errors: uint64,
      issued: uint64.nullable(),
      inProgress: uint64,
      newConnections: uint64.optional(),
      failedConnections: uint64.optional(),
      activeConnections: uint64.optional(),
      metrics: loadMetrics,
      endpoints: z
        .array(
          z.object({
            address: z.string(),
            successful: uint64,
            errors: uint64,
            issued: uint64.nullable(),
            inProgress: uint64,
            metrics: loadMetrics,
          }),
        )
        .optional(),
    }),
  ),
});

const declaredSource = z.object({
  kind: z.enum(sourceKinds),
  target: z.string(),
  server: z.string().optional(),
  authorities: z
    .array(z.object({ authority: z.string().nullable(), servers: z.array(z.string()).readonly() }))
    .readonly()
    .optional(),
  transport: z.enum(probeTransports).optional(),
  fileId: z.string().optional(),
}) satisfies z.ZodType<DeclaredSource>;

/** A source, which precedes its observations and states in the file. */
export const fileSource = declaredSource.extend({ sourceId: z.string() });
export type FileSource = z.infer<typeof fileSource>;

export const observationShape = z.discriminatedUnion('kind', [
  z.object({ ...base, kind: z.literal('source-declared'), source: declaredSource }),
  z.object({ ...base, kind: z.literal('source-up') }),
  z.object({
    ...base,
    kind: z.literal('source-down'),
    problem: z.object({ code: z.string(), message: z.string(), hint: z.string() }),
  }),
  z.object({
    ...ofClient,
    ...changes,
    kind: z.literal('client-config-changed'),
    side,
    node,
    scope: z.string(),
  }),
  z.object({
    ...ofClient,
    kind: z.literal('client-gone'),
    side,
    reason: z.string(),
    previousAt: z.number().optional(),
  }),
  z.object({
    ...ofStream,
    kind: z.literal('stream-opened'),
    server: z.string(),
    method: z.string(),
    node,
    scope: z.string(),
    cacheEmpty: z.boolean().optional(),
    peer: z.string().optional(),
  }),
  z.object({
    ...ofStream,
    kind: z.literal('stream-closed'),
    code: z.string(),
    details: z.string(),
    hadResponse: z.boolean(),
    othersOpen: count.optional(),
  }),
  z.object({
    ...ofStream,
    ...changes,
    kind: z.literal('request-sent'),
    typeUrl: z.string(),
    resourceNames: texts,
    unsubscribedNames: texts.optional(),
    versionInfo: z.string(),
    responseNonce: z.string(),
  }),
  z.object({
    ...ofStream,
    ...answer,
    kind: z.literal('response-received'),
    sizeBytes: count,
    resources: z.array(z.object({ name: z.string(), hash, sizeBytes: count })),
    unchangedResources: count.optional(),
    names: texts.optional(),
    removedNames: texts.optional(),
    controlPlane: z.string(),
    apiVersion: z.literal('v2').optional(),
    repeats: count.optional(),
  }),
  z.object({
    ...ofStream,
    ...answer,
    ...changes,
    kind: z.literal('ack-sent'),
    isInferred: z.literal(true).optional(),
    resourceNames: texts.optional(),
    unsubscribedNames: texts.optional(),
  }),
  z.object({
    ...ofStream,
    ...answer,
    ...changes,
    kind: z.literal('nack-sent'),
    isInferred: z.literal(true).optional(),
    repeats: count.optional(),
    rejectedVersion: z.string(),
    errorDetail: z.string(),
    errorCode: z.number().int().optional(),
    resourceNames: texts.optional(),
    unsubscribedNames: texts.optional(),
  }),
  z.object({
    ...ofStream,
    kind: z.literal('copies-dropped'),
    messages: count,
    bytes: count,
    from: moment,
    reason: z.string(),
  }),
  z.object({
    ...ofStream,
    ...changes,
    kind: z.literal('timer-expired'),
    timer: z.enum(['resource', 'ttl']).optional(),
  }),
  z.object({
    ...ofClient,
    kind: z.literal('server-switched'),
    authority: z.string().nullable(),
    from: z.string(),
    to: z.string(),
    direction: z.enum(['fallback', 'return']),
    reason: z.string(),
    node: node.optional(),
  }),
  z.object({ ...ofClient, ...changes, kind: z.literal('cache-changed'), reason: z.string() }),
  z.object({
    ...ofStream,
    kind: z.literal('load-reported'),
    node,
    scope: z.string(),
    clusters: z.array(load),
    leftOut: count.optional(),
  }),
  z.object({
    ...ofClient,
    kind: z.literal('connections-changed'),
    node,
    scope: z.string(),
    connections: z.array(connectionRecord),
    endedIds: texts,
    isComplete: z.literal(true).optional(),
  }),
  z.object({
    ...base,
    kind: z.literal('lab-event'),
    what: z.string(),
    subject: z.string(),
    text: z.string(),
  }),
]) satisfies z.ZodType<Observation>;

/** Sequence number in the log of the export, which gaps refer to. */
export const fileObservation = observationShape.and(z.object({ seq: count }));

/** Some rows of one source's report on a client at the beginning of the file. */
export interface FileState {
  readonly clientId: string;
  readonly node: NodeInfo;
  readonly scope: string;
  readonly report: Omit<ClientReport, 'resources'>;
  readonly rows: readonly ResourceState[];
}

export const fileState: z.ZodType<FileState> = z.object({
  clientId: z.string(),
  node,
  scope: z.string(),
  report: z.object({
    sourceId: z.string(),
    vantage,
    originalVantage: vantage.optional(),
    side,
    firstSeenAt: moment,
    lastChangedAt: moment,
    goneAt: moment.nullable(),
    goneReason: z.string(),
    typeVersions,
    connections: z.array(connectionRecord).optional(),
    clock: z.object({ newestUpdate: moment, fromMs: z.number(), toMs: z.number().nullable() }).optional(),
  }) satisfies z.ZodType<Omit<ClientReport, 'resources'>>,
  rows: z.array(resource),
});
