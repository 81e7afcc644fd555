/** GET search and GET holders: resources, clients, NACKs and versions of the fleet by text, and who holds a resource. */

import * as z from 'zod';
import { nackStates } from '../../nacks/nack-group';
import { state } from '../../observation/field-schemas';
import { configStatuses } from '../../xds/status';
import { time } from '../fields/answer-fields';
import { described, limit, offset, typeParameter } from '../fields/query-fields';

const count = z.number().int();
const mostFilterChars = 4_096;

export const searchQuery = z.strictObject({
  q: described(
    z.string().max(mostFilterChars).default(''),
    'Words, each of which occurs in a name or text, and expressions: type=CDS, name~cart, status=NACKED, hash=, address=, domain=.',
  ),
  limit: limit('items of each group', { min: 1, max: 100, otherwise: 8 }),
});

const filterProblem = z.object({
  /** The position of the part in the filter. */
  from: count,
  to: count,
  message: z.string(),
});

const stateCount = z.object({ state, count });

const foundResource = z.object({
  typeUrl: z.string(),
  service: z.string(),
  name: z.string(),
  /** The clients that report the resource or whose control plane does, in any state; without probes of xdscope. */
  clients: count,
  /** The clients among them that hold content of it. */
  holders: count,
  /** Probes of xdscope that have it. */
  probes: count,
  /** The states of the clients, worst first. */
  states: z.array(stateCount),
});

/** An address or a domain, with the resources whose payload contains it. */
const foundText = z.object({ text: z.string(), resources: z.array(foundResource) });

const foundClient = z.object({
  id: z.string(),
  nodeId: z.string(),
  scope: z.string(),
  worst: state.optional(),
  /** The number of its resources with an issue. */
  trouble: count,
});

const foundNack = z.object({
  id: z.string(),
  service: z.string(),
  name: z.string(),
  /** The beginning of the error message. */
  text: z.string(),
  state: z.enum(nackStates),
  clients: count,
  lastAt: time,
});

const foundVersion = z.object({
  typeUrl: z.string(),
  service: z.string(),
  version: z.string(),
  clients: count,
});

export const searchAnswer = z.object({
  /** The best match first: the whole name, a part between separators, the beginning of a name, any other part. */
  resources: z.object({
    items: z.array(foundResource),
    /** The number of matches; a lower bound unless `isComplete`. */
    total: count,
    isComplete: z.boolean(),
  }),
  clients: z.object({ items: z.array(foundClient), total: count }),
  /** Open ones first, then the newest. */
  nacks: z.object({ items: z.array(foundNack), total: count }),
  versions: z.object({ items: z.array(foundVersion), total: count }),
  endpoints: z.array(foundText),
  domains: z.array(foundText),
  /** Resources by the hash of their content. */
  contents: z.array(foundResource.extend({ hash: z.string() })),
  /** Parts of the filter that are not valid; they are ignored. */
  problems: z.array(filterProblem),
  index: z.object({
    /** Clients that are not indexed yet. */
    clientsBehind: count,
    /** Rows that are not indexed, because the index is full. */
    rowsLeftOut: count,
    /** Payloads whose addresses and domains are not indexed yet, and those beyond the limit. */
    payloadsWaiting: count,
    payloadsLeftOut: count,
  }),
});

export const holdersQuery = z.strictObject({
  type: described(typeParameter, 'Type URL, or a short name as in CDS.'),
  name: described(z.string().max(100_000), 'The whole name of the resource.'),
  q: described(
    z.string().max(mostFilterChars).default(''),
    'A filter: words in the node id and scope, and status=, version=, hash=, node=, scope=, error=, since=.',
  ),
  offset: offset('Clients'),
  limit: limit('clients', { max: 500, otherwise: 100 }),
});

const holder = z.object({
  clientId: z.string(),
  nodeId: z.string(),
  scope: z.string(),
  isProbe: z.boolean(),
  freshness: z.enum(['live', 'stale', 'gone', 'file']),
  /** Absent for a document that a process reports about itself. */
  state: state.optional(),
  isHeld: z.boolean(),
  /** The version that the client ACKed last; empty: not reported. */
  versionInfo: z.string(),
  hash: z.string().optional(),
  sizeBytes: count.optional(),
  /** The time since which the payload is in effect; absent: not reported. */
  inEffectSince: time.optional(),
  changedAt: time,
  configStatus: z.enum(configStatuses),
  /** The error message of a rejected resource; empty: none. */
  error: z.string(),
});

export const holdersAnswer = z.object({
  typeUrl: z.string(),
  service: z.string(),
  name: z.string(),
  /** Clients before probes, the worst state first, then by node id. */
  items: z.array(holder),
  offset: count,
  /** The clients that report the resource, and those of them that hold content; without probes of xdscope. */
  clients: count,
  holders: count,
  probes: count,
  /** The number of clients and probes that match the filter. */
  matched: count,
  /** The states of all clients, worst first. */
  states: z.array(stateCount),
  /** Different contents, those of most clients first; at most 20. */
  contents: z.array(z.object({ hash: z.string(), clients: count })),
  problems: z.array(filterProblem),
});

export type SearchQuery = z.infer<typeof searchQuery>;
export type SearchAnswer = z.infer<typeof searchAnswer>;
export type FoundResourceRow = z.infer<typeof foundResource>;
export type Holder = z.infer<typeof holder>;
export type HoldersAnswer = z.infer<typeof holdersAnswer>;
