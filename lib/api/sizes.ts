/**
 * GET sizes: how many bytes clients hold, by client, type, resource and field; what is near the limit of a gRPC message; and
 * how that grew. Times are ISO 8601 in UTC. Pages import types only.
 */
import { z } from 'zod';
import { sizeGroupsNamed, sizeSorts } from '../fleet/size-group';
import { described, limit } from './query-fields';

const count = z.number().int();

/** One field over all its values. Bytes as on the wire, with tags and lengths. */
export interface FieldSize {
  readonly name: string;
  readonly bytes: number;
  /** Values of it. */
  readonly count: number;
  /** The largest first. */
  readonly parts: readonly FieldSize[];
}

export const fieldSize: z.ZodType<FieldSize> = z.lazy(() =>
  z.object({ name: z.string(), bytes: count, count, parts: z.array(fieldSize) }),
);

export const sizesQuery = z
  .strictObject({
    client: described(z.string().max(64).optional(), 'Only this client. Default: all clients, one by one.'),
    type: described(
      z.string().min(1).max(512).optional(),
      'Only this type of the client, as in CDS, or a type URL.',
    ),
    name: described(z.string().max(4_096).optional(), 'Only this resource of the client: its fields.'),
    q: described(
      z.string().max(4_096).default(''),
      'Of all clients: a filter, as in GET fleet. Of one client: only resources whose names contain this text.',
    ),
    group: described(
      z.string().max(256).default(''),
      `Of all clients: ${sizeGroupsNamed}. auto: if there are more clients than limit, by the field that gives few groups. Default: one by one.`,
    ),
    sort: described(
      z.enum(sizeSorts).default('bytes'),
      'Of clients and types: the largest first, or the largest growth since xdscope first measured them first.',
    ),
    limit: limit('items', { min: 1, max: 1_000, otherwise: 200 }),
  })
  .refine(({ client, group }) => client === undefined || group === '', {
    path: ['group'],
    message: 'expected none beside a client, got one',
  })
  .refine(({ client, type }) => type === undefined || client !== undefined, {
    path: ['type'],
    message: 'expected a client beside it, got none',
  })
  .refine(({ type, name }) => name === undefined || type !== undefined, {
    path: ['name'],
    message: 'expected a type beside it, got none',
  });

export const sizeLevels = ['group', 'client', 'type', 'resource', 'field'] as const;

export const sizeItem = z.object({
  /** What the next level is asked with: a filter that leaves the clients of a group (`q`), a client's id, a type URL, a name. */
  key: z.string(),
  label: z.string(),
  bytes: count,
  /** Resources, or values of a field. */
  count,
  /** What it is made of, the largest first. */
  parts: z.array(fieldSize),
  /** Of a client, and of a type of one: what it was when xdscope first measured it; null: not measured yet, or not kept. */
  before: z.object({ at: z.iso.datetime(), bytes: count }).nullable(),
  /** Of a group: how many clients, and what the smallest and the largest of them hold; null: none. */
  clients: z.object({ count, leastBytes: count, mostBytes: count }).nullable(),
});

/** One response of a type, as the client would get it in state of the world. */
export const nearLimit = z.object({
  clientId: z.string(),
  nodeId: z.string(),
  typeUrl: z.string(),
  service: z.string(),
  resources: count,
  /** Bodies, with what wraps each of them. */
  responseBytes: count,
  /** Resources whose bodies no source reported: it is at least so large. */
  unreported: count,
});

export const sizes = z.object({
  level: z.enum(sizeLevels),
  /** The largest first, or what grew most. */
  items: z.array(sizeItem),
  /** By what the clients are grouped; null: they are not. */
  group: z.string().nullable(),
  /** Those behind `limit`, together, and the largest of them. */
  rest: z.object({ items: count, bytes: count, largestBytes: count }),
  total: z.object({
    bytes: count,
    /** That were measured. */
    clients: count,
    resources: count,
    /** Resources whose size no source reported; they are in no number of bytes. */
    unreported: count,
  }),
  /** gRPC clients end a stream at a message above it, unless they are configured otherwise. */
  limitBytes: count,
  /** The largest responses, at most 50; of all clients that match, or of the one. */
  responses: z.array(nearLimit),
  /**
   * What is held, by type, since xdscope first measured it: of all clients, again and again; of one, where that changed, and now.
   * Empty below a client's types.
   */
  growth: z.array(
    z.object({
      at: z.iso.datetime(),
      types: z.array(z.object({ typeUrl: z.string(), service: z.string(), bytes: count })),
    }),
  ),
  /** What of the filter could not be understood. */
  problems: z.array(z.string()),
});

export type SizesQuery = z.infer<typeof sizesQuery>;
export type SizeItem = z.infer<typeof sizeItem>;
export type NearLimit = z.infer<typeof nearLimit>;
export type SizesAnswer = z.infer<typeof sizes>;
