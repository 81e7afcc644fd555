import { clientChanges } from '@/lib/api/changes';
import { diffAnswer } from '@/lib/api/diff';
import { clientFindings } from '@/lib/api/findings';
import { references, resolved, tears } from '@/lib/api/resolved';
import { resourcePage } from '@/lib/api/resource-pages';
import * as schema from '@/lib/api/schema';
import { changeKinds } from '@/lib/view-model/changes/build-changes';
import { diffItemKinds } from '@/lib/view-model/compare/diff-item';
import type { Operation } from './operation';
import {
  atQuery,
  clientId,
  findingsQuery,
  graphQuery,
  referencesQuery,
  resolvedQuery,
  resourceKey,
  resourcesQuery,
} from './parameters';

/** A client, of now or of a moment. */
export const clientOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/clients',
    summary: 'Observed clients, one line each: so many at once. GET fleet filters, sorts and groups them.',
    parameters: [
      { name: 'offset', in: 'query', text: 'Clients to leave out. Default 0.' },
      {
        name: 'limit',
        in: 'query',
        text: 'At most so many. Default 500, at most 1,000; total says how many there are.',
      },
    ],
    answer: schema.lists.clients,
  },
  {
    method: 'get',
    path: '/clients/{id}',
    summary: 'One client with its node, also one that is gone.',
    parameters: [clientId, atQuery],
    answer: schema.clientDetail,
  },
  {
    method: 'get',
    path: '/clients/{id}/resources',
    summary:
      "A client's resources, page by page: its own word, and the control plane's beside it. With an ETag; 304 while nothing changed.",
    parameters: [
      clientId,
      atQuery,
      ...resourcesQuery,
      { name: 'if-none-match', in: 'header', text: 'The ETag of an answer to the same question.' },
    ],
    answer: resourcePage,
  },
  {
    method: 'get',
    path: '/clients/{id}/graph',
    summary: 'Listener, route, cluster, locality and endpoint as a graph.',
    parameters: [clientId, atQuery, ...graphQuery],
    answer: schema.graph,
  },
  {
    method: 'get',
    path: '/clients/{id}/links',
    summary: 'What a resource uses, and what uses it.',
    parameters: [clientId, atQuery, ...resourceKey],
    answer: schema.resourceLinks,
  },
  {
    method: 'get',
    path: '/clients/{id}/resolved',
    summary: 'The one config that a client makes of its resources (gRFC A74), or what it still waits for.',
    parameters: [clientId, ...resolvedQuery],
    answer: resolved,
  },
  {
    method: 'get',
    path: '/clients/{id}/findings',
    summary:
      'Every rule that the resources of a client break, and which clients refuse, ignore or take them.',
    parameters: [clientId, atQuery, ...findingsQuery],
    answer: clientFindings,
  },
  {
    method: 'get',
    path: '/clients/{id}/changes',
    summary: 'What of a client is different at the second of two moments, resource by resource.',
    parameters: [
      clientId,
      { ...atQuery, name: 'from', text: 'The first moment: ISO 8601, or seq:4711.', required: true },
      { ...atQuery, name: 'to', text: 'The second moment, which may be the earlier one. Default: now.' },
      { name: 'kind', in: 'query', text: 'Only these.', enum: changeKinds },
      {
        name: 'content',
        in: 'query',
        text: 'other: without resources of which only the version is another. Default: all.',
        enum: ['all', 'other'],
      },
      { name: 'offset', in: 'query', text: 'Changes to leave out. Default 0.' },
      { name: 'limit', in: 'query', text: 'At most so many. Default 200, at most 1000.' },
    ],
    answer: clientChanges,
  },
  {
    method: 'get',
    path: '/diff',
    summary:
      'What really differs between two sides: clients, moments, permalinks, files, or one resource of each. Lists are compared as what they mean, defaults are filled in.',
    parameters: [
      {
        name: 'left',
        in: 'query',
        text: 'client/ID, client/ID@MOMENT (ISO 8601, or seq:4711) or permalink/ID; then, if wanted, ;control-plane for what control planes say that they sent, or, of a client, ;source=ID (percent-encoded) for what one source alone tells, as a tap or one of several control planes; then, for one resource, /TYPE/NAME as in /CDS/shop-cart.',
        required: true,
      },
      { name: 'right', in: 'query', text: 'The same of the other side.', required: true },
      { name: 'kind', in: 'query', text: 'Only these.', enum: diffItemKinds },
      { name: 'type', in: 'query', text: 'Only this type, as in CDS, or a type URL.' },
      { name: 'q', in: 'query', text: 'Only resources whose names contain this.' },
      {
        name: 'versions',
        in: 'query',
        text: 'true: also resources of which only the version is another. Default: false.',
        enum: ['true', 'false'],
      },
      { name: 'offset', in: 'query', text: 'Resources to leave out. Default 0.' },
      { name: 'limit', in: 'query', text: 'At most so many. Default 200, at most 1000.' },
    ],
    answer: diffAnswer,
  },
  {
    method: 'get',
    path: '/clients/{id}/tears',
    summary: 'When what a client used did not fit together, and what clients of two kinds felt of it.',
    parameters: [
      clientId,
      { name: 'from', in: 'query', text: 'Tears that ended before are left out. ISO 8601.' },
      { name: 'to', in: 'query', text: 'End of the history that is looked at. Default: now.' },
      { name: 'beganAfter', in: 'query', text: 'Only tears that began after it: the first ones. ISO 8601.' },
      { name: 'beganBefore', in: 'query', text: 'Only tears that began before it: the last ones. ISO 8601.' },
      { name: 'limit', in: 'query', text: 'At most so many are listed. Default and most: 500.' },
      ...resolvedQuery.filter(({ name }) => ['target', 'listener', 'profile', 'errors'].includes(name)),
    ],
    answer: tears,
  },
  {
    method: 'get',
    path: '/clients/{id}/references',
    summary: 'What a client’s resources name and is not there, or what is there and no listener leads to.',
    parameters: [clientId, atQuery, ...referencesQuery],
    answer: references,
  },
];
