/**
 * GET clients/{id}/explain, POST clients/{id}/explain and GET permalinks/{id}/explain: where the client sends a request,
 * and why.
 *
 *   request    as it was understood
 *   start      the listener at which it begins; absent: the client has none
 *   outcome    what all branches have in common; its sentence
 *   branches[] the ways that the request may take: one, if nothing else than the request and the config decides
 *   steps[]    in the order in which they are decided, up to the first that decides, with the field that decides each
 */

import * as z from 'zod';
import { stages, verdicts } from '../../explain/trace';
import { profiles } from '../../xds/profile';
import { time } from '../fields/answer-fields';
import { moment } from '../fields/moment';
import { startsFields } from '../resolved/starts-schema';

const endpoint = z.object({
  address: z.string(),
  priority: z.string(),
  locality: z.string(),
  /** The share of the requests to the cluster, in per cent; absent if it is not known. */
  percent: z.number().optional(),
});

const outcome = z.object({
  /**
   * forwarded: an endpoint answers; answered: the client itself answers; failed: the client itself answers with an error;
   * unknown: it is not known, as the text states.
   */
  kind: z.enum(['forwarded', 'answered', 'failed', 'unknown']),
  text: z.string(),
  status: z.number().int().optional(),
  grpcCode: z.string().optional(),
  /** The response flag of Envoy, as in "NR". */
  flag: z.string().optional(),
  location: z.string().optional(),
  listener: z.string().optional(),
  filterChain: z.string().optional(),
  virtualHost: z.string().optional(),
  route: z.string().optional(),
  cluster: z.string().optional(),
  endpoints: z.array(endpoint).optional(),
  isByZone: z.literal(true).optional(),
  isByHash: z.literal(true).optional(),
  /** The HTTP filter that answers in place of an endpoint, or may do so. */
  filter: z.string().optional(),
  /** An external service lets the filter answer. */
  isService: z.literal(true).optional(),
});

/** What all branches have in common. */
export const commonOutcome = outcome.partial({ kind: true }).extend({ sentence: z.string() });

const branch = outcome.extend({
  /** Empty if there is no other branch. */
  when: z.string(),
  /** The share of requests that take it, in per cent; absent if it is not known. */
  percent: z.number().optional(),
});

const step = z.object({
  stage: z.enum(stages),
  verdict: z.enum(verdicts),
  title: z.string(),
  /** Empty if the title says it. */
  reason: z.string(),
  resource: z
    .object({
      typeUrl: z.string(),
      name: z.string(),
      versionInfo: z.string().optional(),
      hash: z.string().optional(),
    })
    .optional(),
  /** As in "virtualHosts[0].routes[2].match.prefix"; empty for the whole resource. */
  path: z.string(),
  settings: z.array(z.object({ name: z.string(), value: z.string() })).optional(),
});

/** What the caller states of its connection. An absent part follows from the listener and the scheme. */
export const explainedConnection = z
  .object({
    isTls: z.boolean(),
    destinationAddress: z.string().max(100),
    destinationPort: z.number().int().min(0).max(65_535),
    sourceAddress: z.string().max(100),
    sourcePort: z.number().int().min(0).max(65_535),
    serverName: z.string().max(1_000),
    applicationProtocols: z.array(z.string().max(100)).max(20).readonly(),
  })
  .partial();

export const explainedRequest = z.object({
  method: z.string(),
  scheme: z.enum(['http', 'https']),
  authority: z.string(),
  path: z.string(),
  headers: z.array(z.tuple([z.string(), z.string()])),
  /** Absent: nothing was given, and what follows from the listener and the scheme applies. */
  connection: explainedConnection.optional(),
});

export const explanation = z.object({
  clientId: z.string(),
  at: time,
  revision: z.string(),
  profile: z.enum(profiles),
  request: explainedRequest,
  start: z.object({ listener: z.string(), authority: z.string().optional() }).optional(),
  ...startsFields,
  /** Why no client is known to run the config, so that the request only would be sent. Absent: one is. */
  noClient: z.string().optional(),
  /** What is not measured of the endpoints that a branch leads to. Absent: it is measured, or no branch leads to one. */
  unmeasured: z.string().optional(),
  outcome: commonOutcome,
  branches: z.array(branch),
  /** At most 2,000, of which the last are kept: those that decide. */
  steps: z.array(step),
  stepsTotal: z.number().int(),
  /** Absent: now. */
  moment: moment.optional(),
});

export type Explanation = z.infer<typeof explanation>;
export type ExplainedStep = Explanation['steps'][number];
export type ExplainedBranch = Explanation['branches'][number];
