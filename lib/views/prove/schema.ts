/**
 * POST clients/{id}/prove: what a real Envoy or gRPC client does with a request when it has the config of the client, as far as
 * that is possible on loopback. For a gRPC client the authority of the request is that of the channel.
 *
 *   outcome     what the access log, or the end of the RPC, states of most requests
 *   outcomes[]  each different one, with its number of requests
 *   endpoints[] the endpoints of the client in whose place backends of the twin answered
 *   config[]    the resources of the twin, on request
 *   changes[]   every difference between the config of the client and that of the twin
 */

import * as z from 'zod';
import { time } from '../fields/answer-fields';
import { moment } from '../fields/moment';

/** No line end may enter the header of a connection, nor a field of the request. */
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/;
const visible = /^[\x21-\x7e]*$/;
const ipAddress = z.union([z.ipv4(), z.ipv6()]);
const port = z.number().int().min(1).max(65_535);

const connection = z.strictObject({
  destinationAddress: ipAddress.optional(),
  destinationPort: port.optional(),
  sourceAddress: ipAddress.optional(),
  sourcePort: port.optional(),
  /** SNI. Default: the host of the authority. */
  serverName: z.string().max(255).regex(visible).optional(),
  /** ALPN. */
  applicationProtocols: z.array(z.string().min(1).max(255).regex(visible)).max(20).readonly().optional(),
});

export const provedRequest = z.strictObject({
  method: z.string().max(100).regex(token).default('GET'),
  scheme: z.enum(['http', 'https']).default('http'),
  authority: z.string().min(1).max(4_096).regex(visible),
  path: z.string().min(1).max(64_000).regex(visible).default('/'),
  headers: z
    .array(z.tuple([z.string().max(1_000).regex(token), z.string().max(64_000).regex(fieldValue)]))
    .max(1_000)
    .default([]),
  connection: connection.optional(),
});

export const proveRequest = z.strictObject({
  request: provedRequest,
  /** The listener that receives the request. Default: the one with the port of the connection or the authority. */
  listener: z.string().max(4_096).optional(),
  at: z.string().max(100).optional(),
  times: z.number().int().min(1).max(1_000).default(10),
  /**
   * The program that gets the config: "Envoy", or the name of one of `GET twin-clients`. Default: an Envoy for an Envoy, and for a
   * gRPC client one of the same implementation, else that of xdscope.
   */
  program: z.string().min(1).max(200).optional(),
  /** The HTTP filter whose external service denies the request. Default: all services allow it. */
  deniedBy: z.string().max(1_000).optional(),
  /** The answer has the config of the twin. */
  config: z.boolean().default(false),
});

/** Parts that Envoy did not reach are absent. */
const observedOutcome = z.object({
  status: z.number().int().optional(),
  grpcCode: z.string().optional(),
  /** The response flags of Envoy, as in "NR". */
  flag: z.string().optional(),
  /** %RESPONSE_CODE_DETAILS% of an Envoy, as in "via_upstream"; the message of an RPC that failed in a gRPC client. */
  details: z.string().optional(),
  filterChain: z.string().optional(),
  virtualHost: z.string().optional(),
  /** The name of the route; empty if it has none. */
  route: z.string().optional(),
  /** The place of the route in its resource, as in "virtualHosts[0].routes[2]". */
  routePath: z.string().optional(),
  cluster: z.string().optional(),
  /** In a gRPC client, which does not state the cluster of the route: the aggregate clusters that contain the cluster. */
  aggregates: z.array(z.string()).optional(),
});

export const proof = z.object({
  clientId: z.string(),
  at: time,
  moment: moment.optional(),
  program: z.object({ name: z.string(), version: z.string() }),
  listener: z.object({ name: z.string(), address: z.string() }),
  times: z.number().int(),
  outcome: observedOutcome.extend({ listener: z.string() }),
  outcomes: z.array(observedOutcome.extend({ requests: z.number().int() })),
  endpoints: z.array(
    z.object({
      address: z.string(),
      cluster: z.string(),
      priority: z.number().int(),
      locality: z.string(),
      requests: z.number().int(),
    }),
  ),
  /** What the sender got, by number of requests. */
  responses: z.array(
    z.object({
      status: z.number().int().optional(),
      grpcStatus: z.string().optional(),
      location: z.string().optional(),
      error: z.string().optional(),
      requests: z.number().int(),
    }),
  ),
  /** NACKs of the twin. */
  rejected: z.array(z.object({ service: z.string(), reason: z.string() })),
  /** Resources that are or may be in effect, and whose content is not known: the proof ran without them. */
  unreported: z.number().int(),
  /** The HTTP filters in whose external services' place stubs answer. */
  services: z.array(z.object({ filter: z.string(), answer: z.enum(['allow', 'deny']) })),
  changes: z.array(
    z.object({
      typeUrl: z.string(),
      name: z.string(),
      /** As in "filterChains[0].transportSocket"; empty for the whole resource. */
      path: z.string(),
      what: z.string(),
      why: z.string(),
    }),
  ),
  changesTotal: z.number().int(),
  /** Lines of the access log of the twin; for a gRPC client, how each RPC ended, as JSON. */
  log: z.array(z.string()),
  /** The resources of the twin without its throw-away keys, as proto3 JSON; absent if they are too large. */
  config: z.array(z.object({ typeUrl: z.string(), name: z.string(), json: z.unknown() })).optional(),
});

/** The gRPC clients that were registered at start. */
export const twinClients = z.object({ items: z.array(z.object({ name: z.string(), version: z.string() })) });

export type ProveRequest = z.output<typeof proveRequest>;
export type Proof = z.output<typeof proof>;
export type ObservedOutcome = z.output<typeof observedOutcome>;
