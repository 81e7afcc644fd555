import { loadSeriesAnswer, loadSplit, loadTotalsAnswer } from '@/lib/api/load';
import * as schema from '@/lib/api/schema';
import { loadGroupings, loadMeasures } from '@/lib/load/load-question';
import { totalsGroupings } from '../load-query';
import type { Operation } from './operation';

const byText = 'What is one line. Default: cluster.';

const spanQuery = [
  {
    name: 'at',
    in: 'query',
    text: 'Instead of to: a moment of the past, as in GET clients/{id}; what was told at it is in it.',
  },
  { name: 'span', in: 'query', text: 'Instead of from: how long before the end, as in 1h. Default: 15m.' },
] as const;

const common = [
  { name: 'cluster', in: 'query', text: 'Only to this cluster.' },
  { name: 'client', in: 'query', text: 'Only of this client, by its id.' },
  { name: 'from', in: 'query', text: 'ISO 8601. Default: 15 minutes before the end.' },
  { name: 'to', in: 'query', text: 'ISO 8601, exclusive. Default: now.' },
  ...spanQuery,
  {
    name: 'limit',
    in: 'query',
    text: 'Lines, the largest first; what is beyond is one line more. Default 20, at most 1000.',
  },
  { name: 'format', in: 'query', text: 'csv: the same as a table. Default: json.', enum: ['json', 'csv'] },
] as const;

/** What clients report of their requests (LRS). */
export const loadOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/load',
    summary: 'Load reports (LRS), summed per client, cluster and locality: of those that reported last.',
    parameters: [
      { name: 'client', in: 'query', text: 'Only of this client, by its id.' },
      { name: 'cluster', in: 'query', text: 'Only to this cluster.' },
      {
        name: 'limit',
        in: 'query',
        text: 'At most so many. Default 500, at most 1,000; total says how many there are.',
      },
    ],
    answer: schema.lists.load,
  },
  {
    method: 'get',
    path: '/load/totals',
    cost: 'question',
    summary:
      'The exact sums of what load reports told between two moments: by cluster, locality, priority, endpoint, client, drop category or metric. Clients of files count where they are asked for, or nobody else told any.',
    parameters: [{ name: 'by', in: 'query', text: byText, enum: totalsGroupings }, ...common],
    answer: loadTotalsAnswer,
  },
  {
    method: 'get',
    path: '/load/series',
    cost: 'question',
    summary:
      'The same step by step: requests, errors and drops a second, in flight, means of metrics. Of many clients together rates are over the whole step, and in flight is the mean.',
    parameters: [
      { name: 'by', in: 'query', text: byText, enum: loadGroupings },
      ...common,
      { name: 'step', in: 'query', text: 'As in 10s, 5m, 1h, 1d. Default: some 300 steps at most.' },
      {
        name: 'measure',
        in: 'query',
        text: `Comma-separated: ${loadMeasures.join(', ')}. Default: requests.`,
      },
      {
        name: 'valuesFrom',
        in: 'query',
        text: 'ISO 8601. Values of the steps from there on alone, for who knows the others; sums are of the whole span.',
      },
    ],
    answer: loadSeriesAnswer,
  },
  {
    method: 'get',
    path: '/load/split',
    cost: 'question',
    summary:
      'How the requests of a client to a cluster should be split among localities, how they are, and what of the difference chance explains.',
    parameters: [
      { name: 'client', in: 'query', text: 'Its id.', required: true },
      { name: 'cluster', in: 'query', text: 'Its name.', required: true },
      { name: 'rules', in: 'query', text: 'Whose. Default: grpc.', enum: ['grpc', 'envoy'] },
      {
        name: 'from',
        in: 'query',
        text: 'ISO 8601. Default: 15 minutes before the end; never before the config changed last.',
      },
      { name: 'to', in: 'query', text: 'ISO 8601, exclusive: what is expected is of then. Default: now.' },
      ...spanQuery,
    ],
    answer: loadSplit,
  },
];
