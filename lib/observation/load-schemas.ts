import * as z from 'zod';
import { count, locality } from './field-schemas';

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
  /** null when the client never sets it (grpc-go). Proto3 does not distinguish 0 from unset: see server/lrs. */
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

export const clusterLoad = z.object({
  clusterName: z.string(),
  clusterServiceName: z.string(),
  /** As reported; null where unset or absurd: the first report of grpc-go claims 292 years. See server/lrs. */
  intervalMs: z.number().finite().nullable(),
  totalDropped: uint64,
  dropped: z.array(z.object({ category: z.string(), count: uint64 })),
  localities: z.array(localityLoad),
});
