/**
 * GET clients/{id}/test-client: what a client of the gRPC xDS interop tests reports of its RPCs.
 *
 *   source          what reports it; absent: the client is not a test client, or no source polls it as one
 *   methods         RPCs by method and status since the client started
 *   block           the RPCs of the newest GetClientStats, by the server that answered
 *   configuration   what xdscope configured last
 *   servers         the endpoints that are servers of the interop tests, which xdscope can set to NOT_SERVING
 */

import * as z from 'zod';
import { freshness } from '../../observation/field-schemas';
import { rpcConfiguration } from '../../observation/test-client-schemas';
import { time } from '../fields/answer-fields';
import { moment } from '../fields/moment';

const count = z.number().int();
/** RPCs per second between the last two reported counts; absent: there are no two, or the client restarted. */
const perSecond = z.number().optional();

const methodRow = z.object({
  method: z.string(),
  started: count,
  startedPerSecond: perSecond,
  /** Started and not ended. */
  inFlight: count,
  statuses: z.array(z.object({ code: count, name: z.string(), count, perSecond })),
});
export type MethodRow = z.infer<typeof methodRow>;

const peerRow = z.object({
  peer: z.string(),
  count,
  /** The share of the RPCs that succeeded, 0 to 1. */
  share: z.number(),
});
export type PeerRow = z.infer<typeof peerRow>;

/** The servers of one cluster, and what its config implies for each. */
const peerComparison = z.object({
  cluster: z.string(),
  /** RPCs of the block that succeeded in it. */
  rpcs: count,
  peers: z.array(
    peerRow.extend({
      /** 0 to 1; absent: the server is not among the listed endpoints. `share` is of the RPCs in the cluster. */
      expected: z.number().optional(),
    }),
  ),
});
export type PeerComparison = z.infer<typeof peerComparison>;

const serverRow = z.object({
  cluster: z.string(),
  address: z.string(),
  /** Empty: the config states none. */
  hostname: z.string(),
  /** The health that the config of the client states (envoy.config.core.v3.HealthStatus). */
  health: z.string(),
  /** What xdscope set last; absent: nothing. Other programs can set it, too. */
  set: z.object({ at: time, isServing: z.boolean() }).optional(),
});
export type ServerRow = z.infer<typeof serverRow>;

export const testClientPage = z.object({
  clientId: z.string(),
  at: time,
  source: z.object({ sourceId: z.string(), freshness, reason: z.string() }).optional(),
  counts: z
    .object({
      at: time,
      /** The seconds over which the rates are measured; absent: there are none. */
      overSeconds: z.number().optional(),
      methods: z.array(methodRow),
    })
    .optional(),
  block: z
    .object({
      at: time,
      requested: count,
      timeoutMs: count,
      tookMs: count,
      failed: count,
      peers: z.array(peerRow),
      methods: z.array(z.object({ method: z.string(), peers: z.array(peerRow) })),
      /** By the clusters whose endpoints have the names of the servers; at most five. */
      clusters: z.array(peerComparison),
      /** Servers that no endpoint of a single cluster has as its hostname or address. */
      unmatched: z.array(z.string()),
    })
    .optional(),
  configuration: rpcConfiguration.extend({ at: time }).optional(),
  /** The endpoints of clusters whose servers answered the newest block with their names, and those that were set; at most 100. */
  servers: z.array(serverRow),
  moment: moment.optional(),
});
export type TestClientPage = z.infer<typeof testClientPage>;

const maxBlockRpcs = 10_000;
const maxTimeoutSeconds = 600;
const maxMetadata = 50;

export const blockRequest = z.strictObject({
  rpcs: z.number().int().min(1).max(maxBlockRpcs).default(100),
  /** The client answers after this time with the RPCs that have ended. */
  timeoutSeconds: z.number().int().min(1).max(60).default(20),
});

/** A key of gRPC metadata; binary ones end in -bin. */
const metadataKey = z
  .string()
  .max(200)
  .regex(/^[0-9a-z_.-]+$/, 'expected lower-case letters, digits, "_", "." or "-"');
const metadataValue = z
  .string()
  .max(4_096)
  .regex(/^[\x20-\x7e]*$/, 'expected printable ASCII characters');

export const configurationRequest = z.strictObject({
  types: rpcConfiguration.shape.types.max(2),
  metadata: z
    .array(rpcConfiguration.shape.metadata.element.extend({ key: metadataKey, value: metadataValue }))
    .max(maxMetadata)
    .default([]),
  /** Absent: the timeout of the client itself. */
  timeoutSeconds: z.number().int().min(1).max(maxTimeoutSeconds).optional(),
});

export const servingRequest = z.strictObject({
  /** The address of an endpoint of the client, as its config states it. */
  address: z.string().max(300),
  isServing: z.boolean(),
});
