/** GET identity: clients that are not who they were, or not one. Times are ISO 8601 in UTC. Pages import types only. */
import { z } from 'zod';
import { identityKinds } from '../fleet/identity-kinds';
import { described, limit, offset } from './query-fields';
import { time } from './words';

export type { IdentityKind } from '../fleet/identity-kinds';

const count = z.number().int();

export const identityQuery = z.strictObject({
  kind: described(z.enum(identityKinds), 'Which list of clients.'),
  q: described(z.string().max(4_096).default(''), 'Only clients whose node ids contain this text.'),
  offset: offset('Clients'),
  limit: limit('clients', { min: 1, max: 500, otherwise: 100 }),
});

export const identityItem = z.object({
  clientId: z.string(),
  nodeId: z.string(),
  scope: z.string(),
  /** Since when it is so, as far as that is known: when it was reported last that it is not, or was seen first. */
  at: time.nullable(),
  /** What is so, in words. */
  text: z.string(),
  /** Which source reported it. */
  sources: z.array(z.string()),
});

export const identityPage = z.object({
  /** How many there are of each kind, whatever is asked for. `changed`: the 10,000 newest that the data dir remembers. */
  counts: z.object({ duplicate: count, changed: count, vanished: count }),
  items: z.array(identityItem),
  offset: count,
  /** Of the kind that is asked for, that match. */
  total: count,
});

export type IdentityQuery = z.infer<typeof identityQuery>;
export type IdentityItem = z.infer<typeof identityItem>;
export type IdentityPage = z.infer<typeof identityPage>;
