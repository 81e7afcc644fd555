/**
 * GET explain and POST explain: where each client of the fleet sends a request.
 *
 *   groups[]  clients with the same outcome, whatever their listeners, routes and endpoints are; the largest first
 *   chosen    the clients of one group, a page of them
 *
 * Clients with the same config in effect are explained once. What load reports measured does not count here.
 */

import * as z from 'zod';
import { time } from '../fields/answer-fields';
import { commonOutcome, explainedRequest } from './schema';

const count = z.number().int();

const fleetClient = z.object({
  id: z.string(),
  nodeId: z.string(),
  scope: z.string(),
  userAgent: z.string(),
});

const fleetOutcome = z.object({
  /** Equal for equal outcomes, in any answer. */
  id: z.string(),
  outcome: commonOutcome,
  /** More than one: it depends. */
  branches: count,
  clients: count,
  /** The number of different configs. */
  configs: count,
  /** The routes by which the requests of most clients go, as in "virtual host shop, route cart". */
  routes: z.array(z.object({ name: z.string(), clients: count })),
  routesTotal: count,
  /** The first ones in the order of the fleet. */
  someClients: z.array(fleetClient),
});

export const fleetExplanation = z.object({
  at: time,
  request: explainedRequest,
  groups: z.array(fleetOutcome),
  groupsTotal: count,
  /** Absent: no group was chosen, or there is none with its id yet. */
  chosen: z.object({ id: z.string(), offset: count, total: count, items: z.array(fleetClient) }).optional(),
  /** The clients that are explained so far, and all that the filter selects. */
  explained: count,
  total: count,
  isComplete: z.boolean(),
  /** The number of different configs so far. */
  configs: count,
  /** Clients that the filter selects and that are left out: no source reports them any more; probes of xdscope. */
  gone: count,
  probes: count,
  /** The moment in the past that the answer is about; absent: now. The filter selects clients by what they are now. */
  moment: z
    .object({
      at: time,
      /** Clients of which the log reports nothing then; they are left out. */
      unreported: count,
      /** Clients of which a part before the moment is not in the log. */
      incomplete: count,
    })
    .optional(),
  /** Parts of the filter that are not valid; they are ignored. */
  problems: z.array(z.string()),
});

/** An answer that was stored, without the credentials of the request. */
export const sharedFleetExplanation = z.object({
  id: z.string(),
  /** The filter of the clients; empty: all. */
  q: z.string(),
  explanation: fleetExplanation,
});

export type SharedFleetExplanation = z.infer<typeof sharedFleetExplanation>;
export type FleetExplanation = z.infer<typeof fleetExplanation>;
export type FleetOutcome = FleetExplanation['groups'][number];
export type OutcomeClient = z.infer<typeof fleetClient>;
