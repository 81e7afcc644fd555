import * as z from 'zod';
import { clientDetail, clientsPage, clientsQuery } from '../api/clients';
import { cohorts, cohortsQuery, fleetPage, fleetQuery } from '../api/fleet';
import { identityPage, identityQuery } from '../api/identity';
import { divergences, divergencesQuery } from '../api/propagation';
import { at } from '../api/query-fields';
import { sizes, sizesQuery } from '../api/sizes';
import { defineQuestion } from './question';

/** Questions about many clients, by their path below /api/v1. */
export const fleetQuestions = {
  clients: defineQuestion({
    summary: 'The clients, one line each. GET fleet filters, sorts and groups them.',
    query: clientsQuery,
    answer: clientsPage,
  }),
  'clients/{id}': defineQuestion({
    summary: 'One client with its node, including a removed client.',
    query: z.object({ at }),
    answer: clientDetail,
  }),
  fleet: defineQuestion({
    summary:
      'A window of the client list, filtered, sorted, and grouped by any field of the node, with counts.',
    query: fleetQuery,
    answer: fleetPage,
  }),
  cohorts: defineQuestion({
    summary:
      'Clients grouped by identical config (resource names and payloads, whatever the versions and the order), and what the clients of a cohort have in common.',
    query: cohortsQuery,
    answer: cohorts,
  }),
  sizes: defineQuestion({
    summary:
      'The bytes of config by client, type, resource and field, with the largest state-of-the-world responses.',
    query: sizesQuery,
    answer: sizes,
    cost: 'question',
  }),
  identity: defineQuestion({
    summary:
      'Clients that share a node id, whose node (cluster, locality, user agent, metadata) changed, or that no source reports any longer.',
    query: identityQuery,
    answer: identityPage,
  }),
  divergences: defineQuestion({
    summary:
      'Resources that ADS sources with the same subscriptions receive differently from one server over state of the world and over delta.',
    query: divergencesQuery,
    answer: divergences,
    cost: 'question',
  }),
} as const;

export type FleetQuestions = typeof fleetQuestions;
