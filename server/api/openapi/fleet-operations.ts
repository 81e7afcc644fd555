import { cohorts, fleetPage } from '@/lib/api/fleet';
import { identityPage } from '@/lib/api/identity';
import { sizes } from '@/lib/api/sizes';
import { divergences, truthPage } from '@/lib/api/truth';
import { identityKinds } from '@/lib/view-model/fleet/identity-kinds';
import { sizeGroupsNamed } from '@/lib/view-model/sizes/size-groups';
import { sizeSorts } from '@/lib/view-model/sizes/size-sorts';
import type { Operation } from './operation';
import { atQuery, clientId } from './parameters';

const filterQuery = {
  name: 'q',
  in: 'query',
  text: 'A filter, as the fleet page takes it: words and key=value, key!=value, key~part, as in cart zone=eu-1 meta.version=v2 status=NACKED.',
} as const;

/** Many clients at once. */
export const fleetOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/fleet',
    summary: 'A window of the clients: filtered, sorted, and grouped by any field of the node, with counts.',
    parameters: [
      filterQuery,
      {
        name: 'sort',
        in: 'query',
        text: 'A column: client, status, trouble, nacks, config, resources, version, size, cluster, locality, agent, changed, seen, or a type, as in cds; - before it: from the biggest down. Default client.',
      },
      {
        name: 'group',
        in: 'query',
        text: 'cluster, region, zone, subzone, locality, agent, source, scope, fresh, worst or meta.KEY.',
      },
      {
        name: 'open',
        in: 'query',
        text: 'The value of a group whose clients are wanted, too. May come several times.',
      },
      { name: 'offset', in: 'query', text: 'Lines to leave out. Default 0.' },
      { name: 'limit', in: 'query', text: 'At most so many lines. Default 100, at most 500.' },
    ],
    answer: fleetPage,
  },
  {
    method: 'get',
    path: '/cohorts',
    summary:
      'Clients by what they run (resource names and bodies, whatever the versions and the order), and what those share who differ.',
    parameters: [
      { name: 'type', in: 'query', text: 'Only this type, as in CDS, or a type URL. Default: all together.' },
      filterQuery,
      { name: 'limit', in: 'query', text: 'At most so many cohorts. Default 20, at most 100.' },
    ],
    answer: cohorts,
  },
  {
    method: 'get',
    path: '/sizes',
    summary:
      'How many bytes clients hold: of all clients, of the types of one, of the resources of a type, of the fields of a resource; with the largest responses of state of the world.',
    parameters: [
      { name: 'client', in: 'query', text: 'Of this client. Default: all clients, one by one.' },
      { name: 'type', in: 'query', text: 'Of this type of it, as in CDS, or a type URL.' },
      { name: 'name', in: 'query', text: 'Of this resource of it: its fields.' },
      {
        name: 'q',
        in: 'query',
        text: 'Of all clients a filter, as GET fleet takes it; of one a part of the names.',
      },
      {
        name: 'group',
        in: 'query',
        text: `Of all clients: ${sizeGroupsNamed}. auto: where there are more than limit, by what makes few groups of them. Default: one by one.`,
      },
      {
        name: 'sort',
        in: 'query',
        text: 'Of clients and types: the largest first (default), or what grew most since xdscope first measured it.',
        enum: sizeSorts,
      },
      { name: 'limit', in: 'query', text: 'At most so many items. Default 200, at most 1,000.' },
    ],
    answer: sizes,
  },
  {
    method: 'get',
    path: '/identity',
    summary:
      'Clients that share a node id, whose node (cluster, locality, agent, metadata) changed, or that nobody tells of any longer.',
    parameters: [
      { name: 'kind', in: 'query', text: 'Which of them.', enum: identityKinds, required: true },
      { name: 'q', in: 'query', text: 'Only node ids with this in them.' },
      { name: 'offset', in: 'query', text: 'To leave out. Default 0.' },
      { name: 'limit', in: 'query', text: 'At most so many. Default 100, at most 500.' },
    ],
    answer: identityPage,
  },
  {
    method: 'get',
    path: '/clients/{id}/truth',
    summary:
      'Of each resource of a client: what our state-of-the-world probe got, what our delta probe got, what the control plane says it sent, what the client says it runs; and the first that differs from the one before.',
    parameters: [
      clientId,
      {
        name: 'only',
        in: 'query',
        text: 'differs: only where something does. Default all.',
        enum: ['differs', 'all'],
      },
      { name: 'type', in: 'query', text: 'Only this type, as in CDS, or a type URL.' },
      { name: 'q', in: 'query', text: 'Only resources with this in their names.' },
      { name: 'name', in: 'query', text: 'Only the resource of this name.' },
      { name: 'offset', in: 'query', text: 'Resources to leave out. Default 0.' },
      { name: 'limit', in: 'query', text: 'At most so many. Default 100, at most 500.' },
      atQuery,
    ],
    answer: truthPage,
  },
  {
    method: 'get',
    path: '/divergences',
    summary:
      'The standing check of state of the world against delta: of ADS sources that ask the same of one server in both variants, what they were told differently for some seconds.',
    parameters: [atQuery],
    answer: divergences,
  },
];
