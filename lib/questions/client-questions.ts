import * as z from 'zod';
import { changesQuery, clientChanges } from '../api/changes';
import { connectionsPage, connectionsQuery } from '../api/connections';
import { failovers } from '../api/failovers';
import { clientFindings, findingsQuery, profileChoice } from '../api/findings';
import { graph } from '../api/graph';
import { lbTree } from '../api/lb-tree';
import { propagationPage, propagationQuery } from '../api/propagation';
import { described, limit, offset, resourceName, typeUrl } from '../api/query-fields';
import { referenceKinds, references, resolved, tears } from '../api/resolved';
import { resourceLinks } from '../api/resource-body';
import { resourcePage, resourcesQuery } from '../api/resource-pages';
import { defineQuestion } from './question';
import { failoversQuery, lbTreeQuery, resolvedQuery, tearsQuery } from './resolved-query';

/**
 * Questions about one client, by their path below `/clients/{id}` and `/permalinks/{id}`. The subject of each is a live
 * client, a client at a moment (`at`), or the client of a permalink; the answer function does not distinguish them.
 */
export const clientQuestions = {
  resources: defineQuestion({
    summary:
      'The resources of a client, page by page, as the client reports them, with the report of the control plane beside each.',
    query: resourcesQuery,
    answer: resourcePage,
  }),
  graph: defineQuestion({
    summary: 'Listeners, routes, clusters, localities and endpoints of a client as a graph.',
    query: z.object({
      limit: described(
        z.coerce.number<number>().int().min(1).max(2_000).optional(),
        'The approximate number of nodes; further nodes are aggregated. Default: 300.',
      ),
      expand: described(z.array(z.string()).default([]), 'Id of an aggregate to expand. Repeatable.'),
      focus: described(z.string().optional(), 'Id of the node whose neighborhood is drawn.'),
      find: described(z.string().optional(), 'Search expression; matching nodes are drawn.'),
      match: described(
        z.coerce.number<number>().int().min(0).default(0),
        'The index of the match that is drawn first, beginning with 0.',
      ),
      hide: described(
        z.array(z.string()).default([]),
        'Search expression; matching nodes are removed. Repeatable.',
      ),
      resolve: described(
        z.string().optional(),
        'Name of a listener: nodes are marked by the effective config that begins there.',
      ),
      target: described(
        z.string().min(1).max(4096).optional(),
        'Instead of resolve: the target that a gRPC client dials, as in xds:///shop.',
      ),
      profile: described(profileChoice.optional(), 'The client profile whose rules decide the marks.'),
    }),
    answer: graph,
  }),
  links: defineQuestion({
    summary: 'The resources that a resource references, and the resources that reference it.',
    query: z.object({ typeUrl, name: resourceName }),
    answer: resourceLinks,
  }),
  references: defineQuestion({
    summary:
      'References to resources that the client does not have (dangling), or resources that no listener leads to (orphan).',
    query: z.object({
      kind: described(z.enum(referenceKinds), 'Which of the two lists.'),
      offset: offset('References'),
      limit: limit('references', { max: 1_000, otherwise: 200 }),
    }),
    answer: references,
  }),
  resolved: defineQuestion({
    summary:
      'The effective config that a client derives from its resources (gRFC A74), or the resources that it still waits for.',
    query: resolvedQuery,
    answer: resolved,
  }),
  connections: defineQuestion({
    summary:
      'The endpoints of a client, the state of its connections to them with calls and errors, and where both disagree.',
    query: connectionsQuery,
    answer: connectionsPage,
  }),
  findings: defineQuestion({
    summary:
      'Every rule that the resources of a client violate, and which clients reject, ignore or accept each violation.',
    query: findingsQuery,
    answer: clientFindings,
    cost: 'question',
  }),
  'lb-tree': defineQuestion({
    summary:
      'The LB policies that a gRPC client builds for a cluster, with the config of each and what it ignores.',
    query: lbTreeQuery,
    answer: lbTree,
    cost: 'question',
  }),
  propagation: defineQuestion({
    summary:
      'The payload of each resource of a client as our state-of-the-world probe received it, as our delta probe received it, as the control plane reports it and as the client reports it; and the first mismatch.',
    query: propagationQuery,
    answer: propagationPage,
    cost: 'question',
  }),
} as const;

/** Questions about the history of one client whose answer a permalink stores. */
export const storedHistoryQuestions = {
  failovers: defineQuestion({
    summary:
      'Which priority of a cluster received traffic when, by the EDS resources of the client: failover, return and spill.',
    query: failoversQuery,
    answer: failovers,
    cost: 'question',
  }),
} as const;

/** Questions about one client that are answered from the log and by no permalink. */
export const recordedQuestions = {
  changes: defineQuestion({
    summary: 'The resources of a client that differ between two moments.',
    query: changesQuery,
    answer: clientChanges,
    cost: 'question',
  }),
  tears: defineQuestion({
    summary:
      'Config tears (gRFC A74): when resources in use did not fit together, and the effect on two kinds of clients.',
    query: tearsQuery,
    answer: tears,
    cost: 'question',
  }),
} as const;

export const allClientQuestions = {
  ...clientQuestions,
  ...storedHistoryQuestions,
  ...recordedQuestions,
} as const;

export type ClientQuestions = typeof clientQuestions;
export type StoredHistoryQuestions = typeof storedHistoryQuestions;
export type RecordedQuestions = typeof recordedQuestions;
export type AllClientQuestions = typeof allClientQuestions;
export type ClientQuestionName = keyof AllClientQuestions;
