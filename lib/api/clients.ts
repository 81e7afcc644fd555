import { z } from 'zod';
import { probeProfiles } from '../xds/probe-choices';
import { moment } from './moment';
import { clientStatus, configStatus, side, time, vantage } from './words';

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
  /** Of vantage `dump`: the vantage in the recording that the file holds. Absent if the file is no recording. */
  originalVantage: vantage.optional(),
  side,
  /** Of the source; absent: the log does not declare it. */
  target: z.string().optional(),
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
   */
  content: z.string(),
  /** How many of them no source reported the body of; not there: none. */
  unreported: z.number().int().optional(),
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
  /** When it sent something last; null: not reported. */
  lastUpdated: time.nullable(),
  /** Why the client rejected what was sent last; empty: it did not, or no source reported. */
  error: z.string(),
  /** Not there: not reported. */
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
  /** Of our own probe that accepts and rejects as a client would: whose rules it applies; not there: no such probe. */
  asClient: z.enum(probeProfiles).optional(),
  /** Not there: as it is now. */
  moment: moment.optional(),
});

export type Report = z.infer<typeof report>;
export type TypeSummary = z.infer<typeof typeSummary>;
export type ClientSummary = z.infer<typeof clientSummary>;
export type ClientDetail = z.infer<typeof clientDetail>;
export type TypeSync = z.infer<typeof typeSync>;
