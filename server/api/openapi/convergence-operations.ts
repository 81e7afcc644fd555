import { churn } from '@/lib/api/churn';
import { convergence, recentConvergence } from '@/lib/api/convergence';
import type { Operation } from './operation';

const extent = [
  { name: 'from', in: 'query', text: 'ISO 8601: what is older is not looked at.' },
  { name: 'to', in: 'query', text: 'ISO 8601: as it was known then. Default: now.' },
] as const;

/** Who has accepted what. */
export const convergenceOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/convergence',
    cost: 'question',
    summary:
      'One version of a type, or one content of a resource: the share of clients that accepted it over time, and who has not.',
    parameters: [
      { name: 'type', in: 'query', text: 'Type URL, or a short name as in CDS.' },
      { name: 'resource', in: 'query', text: 'Name of a resource; either this or version.' },
      {
        name: 'hash',
        in: 'query',
        text: 'Which content of the resource: SHA-256 of its body. Default: the newest.',
      },
      { name: 'version', in: 'query', text: 'The version, as the server calls it.' },
      { name: 'server', in: 'query', text: 'Whose version. Default: of who sent it last.' },
      ...extent,
    ],
    answer: convergence,
  },
  {
    method: 'get',
    path: '/convergence/recent',
    cost: 'question',
    summary: 'The newest pushes, each with how many clients have accepted it.',
    parameters: [...extent, { name: 'limit', in: 'query', text: 'Default 30, at most 100.' }],
    answer: recentConvergence,
  },
  {
    method: 'get',
    path: '/churn',
    cost: 'question',
    summary:
      'What was sent between two moments: bytes by type, the resources that change most, pushes with a new version and equal content.',
    parameters: [
      { name: 'from', in: 'query', text: 'ISO 8601. Default: an hour before the end.' },
      { name: 'to', in: 'query', text: 'ISO 8601. Default: now.' },
      { name: 'type', in: 'query', text: 'Type URL, or a short name as in CDS. Default: all.' },
      { name: 'client', in: 'query', text: 'Id of the client. Default: all.' },
    ],
    answer: churn,
  },
];
