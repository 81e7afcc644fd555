import * as schema from '@/lib/api/schema';
import type { Operation, Parameter } from './operation';

const sourceId: Parameter = {
  name: 'id',
  in: 'path',
  text: 'Source id, as in csds:127.0.0.1:50051, percent-encoded.',
};

/** What xdscope listens to. */
export const sourceOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/sources',
    summary: 'What xdscope listens to, page by page.',
    parameters: [
      {
        name: 'list',
        in: 'query',
        text: 'What this list found. Default: what was named by itself, lists too.',
      },
      { name: 'state', in: 'query', text: 'Only these.', enum: ['connecting', 'up', 'down', 'paused'] },
      { name: 'q', in: 'query', text: 'Part of the target or label.' },
      { name: 'offset', in: 'query', text: 'Sources to leave out. Default 0.' },
      { name: 'limit', in: 'query', text: 'Default and at most 1000.' },
    ],
    answer: schema.sourcePage,
  },
  {
    method: 'post',
    path: '/sources',
    summary: 'Add a source.',
    body: schema.newSource,
    status: 201,
    answer: schema.source,
  },
  {
    method: 'get',
    path: '/credentials',
    summary:
      'Credentials of the config file, which sources can be given by name, and the targets that each may be used with.',
    answer: schema.credentialsList,
  },
  {
    method: 'delete',
    path: '/sources',
    summary: 'Remove a source that was added in the browser.',
    parameters: [{ ...sourceId, in: 'query', required: true }],
    status: 204,
  },
  {
    method: 'get',
    path: '/sources/{id}',
    summary: 'One source.',
    parameters: [sourceId],
    answer: schema.source,
  },
  {
    method: 'patch',
    path: '/sources/{id}',
    summary: 'Pause or resume a source, or change the manner of one that was added in the browser.',
    parameters: [sourceId],
    body: schema.sourceChange,
    answer: schema.source,
  },
  {
    method: 'delete',
    path: '/sources/{id}',
    summary: 'Remove a source that was added in the browser.',
    parameters: [sourceId],
    status: 204,
  },
];
