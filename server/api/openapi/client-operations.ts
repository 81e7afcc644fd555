import { diffAnswer } from '@/lib/api/diff';
import { diffItemKinds } from '@/lib/view-model/compare/diff-item';
import type { Operation } from './operation';

/** A client, of now or of a moment. */
export const clientOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/diff',
    cost: 'question',
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
];
