/** GET identity: clients that share a node id, whose node changed, or that are gone. */
import * as z from 'zod';
import { identityKinds } from '../../fleet/identity-kinds';
import { time } from '../fields/answer-fields';
import { described, limit, offset } from '../fields/query-fields';

export type { IdentityKind } from '../../fleet/identity-kinds';

const count = z.number().int();

export const identityQuery = z.strictObject({
  kind: described(z.enum(identityKinds), 'Which list of clients.'),
  q: described(z.string().max(4_096).default(''), 'Only clients whose node ids contain this text.'),
  offset: offset('Clients'),
  limit: limit('clients', { min: 1, max: 500, otherwise: 100 }),
});

const identityItem = z.object({
  clientId: z.string(),
  nodeId: z.string(),
  scope: z.string(),
  /** The time since which it is so, as far as known: the last contrary report, or the first report. */
  at: time.optional(),
  text: z.string(),
  sources: z.array(z.string()),
});

export const identityPage = z.object({
  /** The number of clients of each kind, whatever the filter. `changed`: at most the 10,000 newest. */
  counts: z.object({ duplicate: count, changed: count, vanished: count }),
  items: z.array(identityItem),
  offset: count,
  /** The number of matches of the kind. */
  total: count,
});

export type IdentityQuery = z.infer<typeof identityQuery>;
export type IdentityItem = z.infer<typeof identityItem>;
export type IdentityPage = z.infer<typeof identityPage>;
