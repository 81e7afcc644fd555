/** GET identity: clients that are not who they were, or not one. Times are ISO 8601 in UTC. Pages import types only. */
import { z } from 'zod';
import { identityKinds } from '../view-model/fleet/identity-kinds';
import { time } from './words';

export type { IdentityKind } from '../view-model/fleet/identity-kinds';

const count = z.number().int();

export const identityQuery = z.strictObject({
  kind: z.enum(identityKinds),
  /** Part of the node id. */
  q: z.string().max(4_096).default(''),
  offset: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(500).default(100),
});

export const identityItem = z.object({
  clientId: z.string(),
  nodeId: z.string(),
  scope: z.string(),
  /** Since when it is so, as far as that is known: when it was told last that it is not, or was seen first. */
  at: time.nullable(),
  /** What is so, in words. */
  text: z.string(),
  /** Who told it. */
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

export type IdentityItem = z.infer<typeof identityItem>;
export type IdentityPage = z.infer<typeof identityPage>;
