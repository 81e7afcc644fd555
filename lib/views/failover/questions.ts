import { defineCommand } from '../../questions/command';
import { defineQuestion } from '../../questions/question';
import { failoversQuery, lbTreeQuery } from '../resolved/query';
import { lbTree } from './lb-tree-schema';
import { failovers } from './periods-schema';
import { failoverQuestion, failoverSimulation } from './schema';

export const lbTreeQuestion = defineQuestion({
  summary:
    'The LB policies that a gRPC client builds for a cluster, with the config of each and what it ignores.',
  query: lbTreeQuery,
  answer: lbTree,
  cost: 'question',
});

export const failoversQuestion = defineQuestion({
  summary:
    'Which priority of a cluster received traffic when, by the EDS resources of the client: failover, return and spill.',
  query: failoversQuery,
  answer: failovers,
  cost: 'question',
});

export const simulateFailover = defineCommand({
  summary:
    'Where the requests of a cluster go by the rules of gRPC and of Envoy, and where they would go when endpoints, weights or the overprovisioning factor change, second by second.',
  body: failoverQuestion,
  answer: failoverSimulation,
  cost: 'question',
});
