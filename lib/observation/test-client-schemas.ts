import * as z from 'zod';
import { count, epochMs } from './field-schemas';
import { rpcTypes } from './rpc-types';

/** RPCs of one method since the client started. */
export const methodCounts = z.object({
  /** As the client names it, as in "UNARY_CALL". */
  method: z.string(),
  started: count,
  /** The RPCs that ended, by gRPC status code. Absent codes: none. */
  ended: z.array(z.object({ code: z.number().int().nonnegative(), count })),
});

const peers = z.array(z.object({ peer: z.string(), count }));

/** The answer of GetClientStats: RPCs that started after the request. */
export const rpcBlock = z.object({
  requested: count,
  timeoutMs: count,
  /** From the request to its answer. */
  tookMs: count,
  failed: count,
  /** The RPCs that succeeded, by the name of the server that answered. */
  peers,
  methods: z.array(z.object({ method: z.string(), peers })),
});

/** A request of XdsUpdateClientConfigureService that the client accepted. */
export const rpcConfiguration = z.object({
  /** Empty: the client makes no RPCs. */
  types: z.array(z.enum(rpcTypes)),
  /** Values that are secrets are redacted. */
  metadata: z.array(z.object({ type: z.enum(rpcTypes), key: z.string(), value: z.string() })),
  /** Absent: the client's own timeout. */
  timeoutMs: count.optional(),
});

/** A request of XdsUpdateHealthService that a server of the interop tests accepted. */
export const serverServing = z.object({
  /** As in the endpoints of the client. */
  address: z.string(),
  isServing: z.boolean(),
});

const countsAt = z.object({ at: epochMs, methods: z.array(methodCounts) });

/** What a source of the kind `interop` reported of a client, each with the time of its report. */
export const testClient = z.object({
  counts: countsAt
    /** Counts that were reported before; the rates are those between the two. Absent: none. */
    .extend({ previous: countsAt.optional() })
    .optional(),
  block: rpcBlock.extend({ at: epochMs }).optional(),
  configuration: rpcConfiguration.extend({ at: epochMs }).optional(),
  /** The servers that xdscope set to SERVING or NOT_SERVING, the newest setting of each. */
  servers: z.array(serverServing.extend({ at: epochMs })).optional(),
});
