/** GET clients/{id}/changes: what of a client became different between two moments. */
import { z } from 'zod';
import { changedFacts, changeKinds } from '../view-model/changes/build-changes';
import { clientStatuses } from '../xds/status';
import { moment } from './moment';

const resourceThen = z.object({
  versionInfo: z.string(),
  hash: z.string().nullable(),
  sizeBytes: z.number().int().nullable(),
  clientStatus: z.enum(clientStatuses),
  changedAt: z.iso.datetime(),
});

const count = z.number().int();

export const clientChanges = z.object({
  clientId: z.string(),
  /** Left out: now. */
  from: moment,
  to: moment.optional(),
  /** Before any filter. `versionOnly` are among `changed`: another version of an equal body, and nothing else. */
  counts: z.object({
    added: count,
    removed: count,
    changed: count,
    versionOnly: count,
    unchanged: count,
  }),
  /** Of `items`, before paging. */
  total: count,
  offset: count,
  /** In the fixed order of types, then by name. */
  items: z.array(
    z.object({
      kind: z.enum(changeKinds),
      typeUrl: z.string(),
      service: z.string(),
      name: z.string(),
      /** null of what was added. */
      before: resourceThen.nullable(),
      /** null of what was removed. */
      after: resourceThen.nullable(),
      /** Of what changed. */
      differs: z.array(z.enum(changedFacts)),
    }),
  ),
});

export const changesQuery = z.object({
  from: z.string().max(100),
  to: z.string().max(100).optional(),
  kind: z.enum(changeKinds).optional(),
  /** Left out where only the version is another. */
  content: z.enum(['all', 'other']).default('all'),
  offset: z.coerce.number().int().min(0).max(10_000_000).default(0),
  limit: z.coerce.number().int().min(0).max(1_000).default(200),
});

export type ClientChanges = z.infer<typeof clientChanges>;
export type ClientChange = ClientChanges['items'][number];
