import * as z from 'zod';
import { time } from '../fields/answer-fields';

const orderBreak = z.object({
  at: time,
  clientId: z.string(),
  nodeId: z.string(),
  /**
   * `sent-before-cluster`: routes or a listener to a cluster that was sent later. `cluster-removed-first`: a cluster was
   * removed before its routes changed.
   */
  kind: z.enum(['sent-before-cluster', 'cluster-removed-first']),
  typeUrl: z.string(),
  name: z.string(),
  cluster: z.string(),
  /** Milliseconds until the order was right again. Absent: it is not yet. */
  lastedMs: z.number().optional(),
  /** The client accepted it: a config tear. Always false of a probe. */
  isFelt: z.boolean(),
  /** A probe observed it at its own stream. */
  isOfProbe: z.boolean(),
});

const streamEnds = z.object({
  code: z.string(),
  /** The last message of the streams, as in "NACK of CDS". */
  after: z.string(),
  count: z.number(),
});

const controlPlane = z.object({
  /** The address of an instance. */
  server: z.string(),
  identifiers: z.array(z.string()),
  clients: z.number(),
  openStreams: z.number(),
  responses: z.number(),
  /** Responses that repeat what was sent, and that nobody requested. */
  repeated: z.number(),
  /** Periods of at least 10 repeated responses within 10 seconds on one stream. */
  spins: z.number(),
  fastestSpin: z.number(),
  lastSpinAt: time.optional(),
  /** Pushes that broke the order of make-before-break; those of them to clients behind taps, and those that these accepted. */
  broken: z.number(),
  brokenAtClients: z.number(),
  felt: z.number(),
  /** The newest 20 of them. */
  breaks: z.array(orderBreak),
  /** The most frequent 10. */
  ends: z.array(streamEnds),
});

const instanceDifference = z.object({
  /** `versions`: names and contents are equal. That is no fault, because each instance may have versions of its own. */
  kind: z.enum(['resources', 'versions']),
  nodeId: z.string(),
  typeUrl: z.string(),
  servers: z.tuple([z.string(), z.string()]),
  versions: z.tuple([z.string(), z.string()]),
  /** Names that only one of the two sends, and those whose contents differ; at most 20 of each. */
  onlyFirst: z.array(z.string()),
  onlySecond: z.array(z.string()),
  differing: z.array(z.string()),
  since: time,
  /** Absent: it lasts. */
  until: time.optional(),
});

export const controlPlanes = z.object({
  items: z.array(controlPlane),
  /** Differences between instances for one node, of resources or of versions alone, that last, or lasted, longer than 5 seconds; newest first. */
  differences: z.array(instanceDifference),
  /** What probes and taps recorded since then was read. */
  since: time,
  /** Sentences on what the answer lacks. */
  notes: z.array(z.string()),
});

export type ControlPlanes = z.infer<typeof controlPlanes>;
export type ControlPlaneRow = ControlPlanes['items'][number];
export type InstanceDifferenceRow = ControlPlanes['differences'][number];
