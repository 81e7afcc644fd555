import { referenceKinds } from '@/lib/api/resolved';
import { resourceSortColumns } from '@/lib/api/resource-sort-columns';
import { errorModels, resolveProfiles } from '@/lib/resolve/resolve-profile';
import { resolvedClusterStatuses } from '@/lib/resolve/xds-config';
import { profiles } from '@/lib/validate/profile';
import { clientStatuses } from '@/lib/xds/status';
import type { Parameter } from './operation';

export const clientId: Parameter = {
  name: 'id',
  in: 'path',
  text: 'Client id: 16 hex digits made of node id and scope.',
};

export const permalinkId: Parameter = {
  name: 'id',
  in: 'path',
  text: 'Permalink id: 128 random bits, base64url.',
};

export const resourceKey: readonly Parameter[] = [
  { name: 'typeUrl', in: 'query', text: 'Type URL of the resource.', required: true },
  { name: 'name', in: 'query', text: 'Name of the resource.', required: true },
];

export const atQuery: Parameter = {
  name: 'at',
  in: 'query',
  text: 'As of this moment, out of the log: ISO 8601, or right after an event as in seq:4711. Default: now.',
};

export const graphQuery: readonly Parameter[] = [
  { name: 'limit', in: 'query', text: 'Draw about so many nodes; the rest is aggregated. Default 300.' },
  { name: 'expand', in: 'query', text: 'Id of an aggregate to open. Repeatable.' },
  { name: 'focus', in: 'query', text: 'Id of a node whose neighbourhood stays.' },
  { name: 'find', in: 'query', text: 'Search expression; what matches is drawn.' },
  { name: 'resolve', in: 'query', text: 'Name of a listener: nodes are marked by its resolved config.' },
  { name: 'target', in: 'query', text: 'Instead of resolve: what a gRPC client dials, as in xds:///shop.' },
  { name: 'profile', in: 'query', text: 'Whose manners the marks follow.', enum: resolveProfiles },
  { name: 'errors', in: 'query', text: 'For the marks: pre-a88 (default) or a88.', enum: errorModels },
];

export const findingsQuery: readonly Parameter[] = [
  { name: 'profile', in: 'query', text: "Whose verdict. Default: the client's own kind.", enum: profiles },
  { name: 'rule', in: 'query', text: 'Only findings of this rule, as in C4.' },
  {
    name: 'only',
    in: 'query',
    text: 'NACK: only what the profile refuses. Default: all.',
    enum: ['NACK', 'all'],
  },
  { name: 'typeUrl', in: 'query', text: 'Only resources of this type.' },
  { name: 'name', in: 'query', text: 'Only resources of this name.' },
  { name: 'offset', in: 'query', text: 'Resources to leave out. Default 0.' },
  { name: 'limit', in: 'query', text: 'At most so many resources. Default 100.' },
];

export const resourcesQuery: readonly Parameter[] = [
  { name: 'type', in: 'query', text: 'Only this type, as in CDS, or a type URL. Repeatable.' },
  {
    name: 'status',
    in: 'query',
    text: "Only this status of the client's. Repeatable.",
    enum: clientStatuses,
  },
  { name: 'name', in: 'query', text: 'Only the resource of this name.' },
  {
    name: 'q',
    in: 'query',
    text: 'Words, each in the name, the version, the hash or the reason. At most 20.',
  },
  {
    name: 'sort',
    in: 'query',
    text: 'By default types in their fixed order, then names; status: trouble first.',
    enum: resourceSortColumns.flatMap((column) => [column, `-${column}`]),
  },
  { name: 'limit', in: 'query', text: 'Default and at most 1000; 0 for the counts alone.' },
  {
    name: 'cursor',
    in: 'query',
    text: 'nextCursor of the page before, which was asked for with the same sort.',
  },
];

export const referencesQuery: readonly Parameter[] = [
  { name: 'kind', in: 'query', text: 'Which of the two.', enum: referenceKinds, required: true },
  { name: 'offset', in: 'query', text: 'Of the first one that is listed.' },
  { name: 'limit', in: 'query', text: 'Default 200, at most 1000.' },
];

export const resolvedQuery: readonly Parameter[] = [
  {
    name: 'target',
    in: 'query',
    text: 'What a gRPC client dials, as in xds:///shop; its name is the authority.',
  },
  {
    name: 'listener',
    in: 'query',
    text: 'Name of a listener, API or socket; by default the first one. Not together with target.',
  },
  {
    name: 'profile',
    in: 'query',
    text: "Whose manners. By default what the client's user agent tells.",
    enum: resolveProfiles,
  },
  {
    name: 'errors',
    in: 'query',
    text: 'Does a deletion drop what was cached (before gRFC A88)? Default pre-a88: it does.',
    enum: errorModels,
  },
  atQuery,
  { name: 'offset', in: 'query', text: 'Of the first cluster that is listed.' },
  { name: 'limit', in: 'query', text: 'Of clusters. Default 200, at most 1000.' },
  { name: 'find', in: 'query', text: 'Lists clusters alone whose names contain this.' },
  { name: 'cluster', in: 'query', text: 'Lists this cluster alone.' },
  {
    name: 'status',
    in: 'query',
    text: 'Lists clusters of this status alone.',
    enum: resolvedClusterStatuses,
  },
  { name: 'endpoints', in: 'query', text: 'Listed of a cluster at the most. Default 100, at most 1000.' },
  { name: 'starts', in: 'query', text: 'Lists only listeners to begin with whose names hold this.' },
  {
    name: 'hostsFrom',
    in: 'query',
    text: 'Of the virtual hosts of each chain, 100 are listed from here on. One number for all chains, or each its own by its place: 0:100,2:200.',
  },
  {
    name: 'routesFrom',
    in: 'query',
    text: 'Of the routes of each virtual host, 200 are listed from here on. One number for all, or each its own by the places of its chain and of itself in that: 0.5:200,0.7:400.',
  },
];
