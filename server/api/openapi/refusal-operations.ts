import { nackDetail, nackPage, nackStates } from '@/lib/api/nacks';
import type { Operation, Parameter } from './operation';

const nacksQuery: readonly Parameter[] = [
  { name: 'client', in: 'query', text: 'Only what this client refused: its id.' },
  { name: 'type', in: 'query', text: 'Only of this type: a service, as in CDS, or a type URL.' },
  { name: 'resource', in: 'query', text: "Part of the resource's name." },
  { name: 'text', in: 'query', text: 'Part of what the client said.' },
  { name: 'state', in: 'query', text: 'open: a client refuses it still. Default: both.', enum: nackStates },
  { name: 'from', in: 'query', text: 'Refused at this moment (ISO 8601) or later.' },
  { name: 'to', in: 'query', text: 'Refused at this moment or before.' },
  { name: 'cursor', in: 'query', text: '`next` of the page before.' },
  { name: 'limit', in: 'query', text: 'Default 200, at most 1000.' },
];

/** What clients refused. */
export const refusalOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/nacks',
    summary:
      'Refusals: those of the same type, resource and text in one group, over clients and time. Open ones first.',
    parameters: nacksQuery,
    answer: nackPage,
  },
  {
    method: 'get',
    path: '/nacks/{groupId}',
    summary:
      'One group: the text read, the payload with the refused field, our findings, and what became of it with each client.',
    parameters: [{ name: 'groupId', in: 'path', text: 'Id of the group, as in the list.' }],
    answer: nackDetail,
  },
];
