import { loadSeriesAnswer, loadSplit } from '@/lib/api/load';
import * as schema from '@/lib/api/schema';
import { loadGroupings } from '@/lib/load/load-question';
import type { Operation } from './operation';
import { permalinkId } from './parameters';

/** What was written down. */
export const permalinkOperations: readonly Operation[] = [
  {
    method: 'post',
    path: '/permalinks',
    cost: 'question',
    summary: 'Store a client as it is now, or as it was at a moment, with a view.',
    body: schema.newPermalink,
    status: 201,
    answer: schema.permalinkCreated,
  },
  {
    method: 'get',
    path: '/permalinks/{id}',
    summary: 'A stored client and view.',
    parameters: [permalinkId],
    answer: schema.permalink,
  },
  {
    method: 'get',
    path: '/permalinks/{id}/load/series',
    cost: 'question',
    summary:
      'What a stored client reported of its requests in the stored span, step by step. 404: it keeps no load.',
    parameters: [
      permalinkId,
      { name: 'by', in: 'query', text: 'What is one line. Default: cluster.', enum: loadGroupings },
      { name: 'cluster', in: 'query', text: 'Only to this cluster.' },
      { name: 'measure', in: 'query', text: 'As in GET load/series.' },
      { name: 'limit', in: 'query', text: 'Lines, at most 1000. Default 20.' },
    ],
    answer: loadSeriesAnswer,
  },
  {
    method: 'get',
    path: '/permalinks/{id}/load/split',
    cost: 'question',
    summary: 'How its requests to a cluster should have been split among localities, and how they were.',
    parameters: [
      permalinkId,
      { name: 'cluster', in: 'query', text: 'Its name.', required: true },
      { name: 'rules', in: 'query', text: 'Whose. Default: grpc.', enum: ['grpc', 'envoy'] },
    ],
    answer: loadSplit,
  },
];
