import { clientFindings } from '@/lib/api/findings';
import { loadSeriesAnswer, loadSplit } from '@/lib/api/load';
import { references, resolved } from '@/lib/api/resolved';
import { resourcePage } from '@/lib/api/resource-pages';
import * as schema from '@/lib/api/schema';
import { loadGroupings } from '@/lib/load/load-question';
import type { Operation } from './operation';
import {
  findingsQuery,
  graphQuery,
  permalinkId,
  referencesQuery,
  resolvedQuery,
  resourceKey,
  resourcesQuery,
} from './parameters';

/** What was written down. */
export const permalinkOperations: readonly Operation[] = [
  {
    method: 'post',
    path: '/permalinks',
    summary: 'Store a client as it is now, or as it was at a moment, with a view.',
    body: schema.newPermalink,
    status: 201,
    answer: schema.permalinkCreated,
  },
  {
    method: 'get',
    path: '/permalinks/{id}',
    summary: 'A stored client and view.',
    parameters: [permalinkId, ...graphQuery],
    answer: schema.permalink,
  },
  {
    method: 'get',
    path: '/permalinks/{id}/resolved',
    summary: 'The resolved config of a stored client.',
    parameters: [permalinkId, ...resolvedQuery.filter(({ name }) => name !== 'at')],
    answer: resolved,
  },
  {
    method: 'get',
    path: '/permalinks/{id}/resources',
    summary: 'The resources of a stored client, page by page.',
    parameters: [permalinkId, ...resourcesQuery],
    answer: resourcePage,
  },
  {
    method: 'get',
    path: '/permalinks/{id}/load/series',
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
    summary: 'How its requests to a cluster should have been split among localities, and how they were.',
    parameters: [
      permalinkId,
      { name: 'cluster', in: 'query', text: 'Its name.', required: true },
      { name: 'rules', in: 'query', text: 'Whose. Default: grpc.', enum: ['grpc', 'envoy'] },
    ],
    answer: loadSplit,
  },
  {
    method: 'get',
    path: '/permalinks/{id}/references',
    summary: 'What a stored client’s resources name and is not there, or what is there and nobody names.',
    parameters: [permalinkId, ...referencesQuery],
    answer: references,
  },
  {
    method: 'get',
    path: '/permalinks/{id}/findings',
    summary: 'Every rule that the resources of a stored client break.',
    parameters: [permalinkId, ...findingsQuery],
    answer: clientFindings,
  },
  {
    method: 'get',
    path: '/permalinks/{id}/links',
    summary: 'What a stored resource uses, and what uses it.',
    parameters: [permalinkId, ...resourceKey],
    answer: schema.resourceLinks,
  },
];
