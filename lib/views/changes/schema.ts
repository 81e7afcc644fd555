/** GET clients/{id}/changes: the resources of a client that differ between two moments. */
import * as z from 'zod';
import { changedFacts, changeKinds } from '../../diff/change-kind';
import { resourceRow } from '../../observation/resource-schemas';
import { moment } from '../fields/moment';
import { described, limit, offset } from '../fields/query-fields';

const resourceThen = resourceRow.pick({
  versionInfo: true,
  hash: true,
  sizeBytes: true,
  state: true,
  changedAt: true,
});

const count = z.number().int();

export const clientChanges = z.object({
  clientId: z.string(),
  /** Absent: now. */
  from: moment,
  to: moment.optional(),
  /** The counts before any filter. `versionOnly` are among `changed`: an equal body with another version. */
  counts: z.object({
    added: count,
    removed: count,
    changed: count,
    versionOnly: count,
    unchanged: count,
  }),
  /** The number of `items` before paging. */
  total: count,
  offset: count,
  /** The items in the fixed order of types, then by name. */
  items: z.array(
    z.object({
      kind: z.enum(changeKinds),
      typeUrl: z.string(),
      service: z.string(),
      name: z.string(),
      /** Absent if it was added. */
      before: resourceThen.optional(),
      /** Absent if it was removed. */
      after: resourceThen.optional(),
      differs: z.array(z.enum(changedFacts)),
    }),
  ),
});

const momentText = z.string().max(100);

export const changesQuery = z.object({
  from: described(momentText, 'The first moment: an ISO 8601 time, or seq:4711.'),
  to: described(momentText.optional(), 'The second moment, which may be the earlier one. Default: now.'),
  kind: described(z.enum(changeKinds).optional(), 'Only changes of this kind.'),
  content: described(
    z.enum(['all', 'other']).default('all'),
    'other: without resources of which only the version differs.',
  ),
  offset: offset('Changes'),
  limit: limit('changes', { max: 1_000, otherwise: 200 }),
});

export type ClientChanges = z.infer<typeof clientChanges>;
export type ChangesQuery = z.infer<typeof changesQuery>;
export type ClientChange = ClientChanges['items'][number];
