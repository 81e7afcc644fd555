import { failoverQuestion, failoverSimulation } from '@/lib/api/failover';
import { failovers } from '@/lib/api/failovers';
import { lbTree } from '@/lib/api/lb-tree';
import { clientKinds } from '@/lib/lb/client-kind';
import type { Operation, Parameter } from './operation';
import { atQuery, clientId, permalinkId, resolvedQuery } from './parameters';

const lbTreeQuery: readonly Parameter[] = [
  ...resolvedQuery.filter(({ name }) => name === 'target' || name === 'listener'),
  { name: 'cluster', in: 'query', text: 'Whose tree. By default the first cluster that the routes reach.' },
  {
    name: 'client-kind',
    in: 'query',
    text: "Whose manners. By default what the client's user agent tells; Envoy builds no such tree.",
    enum: clientKinds,
  },
  { name: 'node', in: 'query', text: 'Id of a policy in the tree: `config` is of it. By default all.' },
  { name: 'find', in: 'query', text: 'Lists clusters alone whose names contain this.' },
];

/** Where traffic goes. */
export const failoverOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/clients/{id}/lb-tree',
    summary:
      'The LB policies that a gRPC client builds for a cluster, with what they were told and what they ignore.',
    parameters: [clientId, ...lbTreeQuery, atQuery],
    answer: lbTree,
  },
  {
    method: 'get',
    path: '/permalinks/{id}/lb-tree',
    summary: 'The LB policies of a cluster of a stored client.',
    parameters: [permalinkId, ...lbTreeQuery],
    answer: lbTree,
  },
  {
    method: 'get',
    path: '/permalinks/{id}/failovers',
    summary:
      'Which priority of the cluster in sight carried traffic when, as it was told when the link was made. 404: another page than that of failovers was linked.',
    parameters: [permalinkId],
    answer: failovers,
  },
  {
    method: 'get',
    path: '/clients/{id}/failovers',
    summary:
      'Which priority of a cluster carried traffic when, by what EDS told the client: failover, return and spill.',
    parameters: [
      clientId,
      ...lbTreeQuery.filter(({ name }) => name !== 'node' && name !== 'find'),
      ...resolvedQuery.filter(({ name }) => name === 'errors'),
      { name: 'from', in: 'query', text: 'ISO 8601. What ended before is left out.' },
      { name: 'to', in: 'query', text: 'ISO 8601. By default now.' },
      { name: 'limit', in: 'query', text: 'The newest so many. Default and most: 500.' },
    ],
    answer: failovers,
  },
  {
    method: 'post',
    path: '/failover/simulate',
    summary:
      "Where a cluster's requests go by gRPC's rules and by Envoy's, and where they would go when endpoints, weights or the overprovisioning factor change, second by second.",
    body: failoverQuestion,
    answer: failoverSimulation,
  },
];
