import { historyDetail, historyKinds, historyPage, historyTimeline } from '@/lib/api/history';
import type { Operation, Parameter } from './operation';

const historyFilter: readonly Parameter[] = [
  { name: 'client', in: 'query', text: 'Id of the client.' },
  { name: 'stream', in: 'query', text: 'Id of the stream.' },
  { name: 'source', in: 'query', text: 'Id of the source.' },
  { name: 'type', in: 'query', text: 'Type URL, or a short name as in CDS. Repeatable: any of them.' },
  { name: 'kind', in: 'query', text: 'Kind of event. Repeatable: any of them.', enum: historyKinds },
  {
    name: 'vantage',
    in: 'query',
    text: 'Where it was observed. Repeatable: any of them.',
    enum: ['probe', 'tap', 'csds', 'lrs', 'dump', 'lab'],
  },
  {
    name: 'resource',
    in: 'query',
    text: 'Exactly this name: asked for, brought, changed, removed or refused.',
  },
  { name: 'version', in: 'query', text: 'Exactly this version, accepted or refused.' },
  { name: 'error', in: 'query', text: 'Part of the error text, whatever the case.' },
  {
    name: 'refused',
    in: 'query',
    text: 'Only refusals: a NACK on a stream, or a report that names an error.',
    enum: ['true'],
  },
  { name: 'from', in: 'query', text: 'ISO 8601, included.' },
  { name: 'to', in: 'query', text: 'ISO 8601, included.' },
];

/** The log's operations. */
export const historyOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/history',
    cost: 'question',
    summary: 'The log: every event that matches, in pages, newest first.',
    parameters: [
      ...historyFilter,
      {
        name: 'order',
        in: 'query',
        text: 'Which end to begin at: desc (default) is the newest.',
        enum: ['desc', 'asc'],
      },
      { name: 'limit', in: 'query', text: 'Default 200, at most 1000. Fewer may come when they are large.' },
      { name: 'cursor', in: 'query', text: '"older" or "newer" of an earlier answer, with the same filter.' },
    ],
    answer: historyPage,
  },
  {
    method: 'get',
    path: '/history/timeline',
    cost: 'question',
    summary: 'The same events for drawing: each as a mark, or, over 50,000, how many in which slice of time.',
    parameters: [
      ...historyFilter,
      { name: 'buckets', in: 'query', text: 'About so many slices of time. Default 300, at most 2000.' },
    ],
    answer: historyTimeline,
  },
  {
    method: 'get',
    path: '/history/{seq}',
    summary: 'One event in full: its message, its resources with what was there before, and its pair.',
    parameters: [
      { name: 'seq', in: 'path', text: 'Place in the log.' },
      { name: 'offset', in: 'query', text: 'Of the first resource that is listed.' },
      { name: 'limit', in: 'query', text: 'Of resources. Default 200, at most 1000.' },
    ],
    answer: historyDetail,
  },
];
