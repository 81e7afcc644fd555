import * as z from 'zod';
import { clientStatuses, configStatuses, states } from '../xds/status';
import { vantages } from './vantage';

/**
 * The fields of observations, of stored forms and of the HTTP API. Only the server imports schemas as values, so that no
 * validator reaches the browser; types follow from them.
 */

/** EpochMs, in the range of Date. */
export const epochMs = z
  .number()
  .min(-8.64e15)
  .max(8.64e15)
  .meta({ description: 'Milliseconds since 1970-01-01T00:00:00Z.' });
export const count = z.number().int().nonnegative();
/** SHA-256 in hex. */
export const hash = z.string().regex(/^[0-9a-f]{64}$/);
export const state = z.enum(states);
export const clientStatus = z.enum(clientStatuses);
export const configStatus = z.enum(configStatuses);
export const vantage = z.enum(vantages);
/** The side that reports it: an xDS client reports what it runs, a control plane what it sent. */
export const side = z.enum(['client', 'control-plane']);
export const freshness = z.enum(['live', 'stale', 'gone']);
export const texts = z.array(z.string());
export const locality = z.object({ region: z.string(), zone: z.string(), subZone: z.string() });
export const resourceKeys = z.array(z.object({ typeUrl: z.string(), name: z.string() })).readonly();
/** Nonces that a control plane reports for a whole type. Empty: nothing was sent, or acknowledged. */
export const nonces = z.object({ sent: z.string(), acked: z.string() });

/**
 * What a client without a known user agent must be, by what its source or its resources show; the reason is the evidence.
 * grpc: one of the gRPC clients.
 */
const clientEvidence = z.object({ client: z.enum(['envoy', 'grpc']), reason: z.string() });

/** envoy.config.core.v3.Node, as reported by the client or by its control plane. */
export const node = z.object({
  id: z.string(),
  cluster: z.string(),
  locality: locality.nullable(),
  userAgentName: z.string(),
  userAgentVersion: z.string(),
  clientFeatures: texts,
  /** google.protobuf.Struct as plain JSON, secrets already redacted. */
  metadata: z.record(z.string(), z.unknown()),
  evidence: clientEvidence.optional(),
});
