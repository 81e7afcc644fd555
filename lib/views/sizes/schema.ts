/**
 * GET sizes: the bytes that clients hold, by client, type, resource and field; responses near the limit of a gRPC
 * message; and the growth.
 */
import * as z from 'zod';
import { sizeGroupsNamed, sizeSorts } from '../../fleet/size-group';
import { time } from '../fields/answer-fields';
import { described, limit } from '../fields/query-fields';

const count = z.number().int();

/** One field over all its values, in bytes on the wire, with tags and lengths. */
export interface FieldSize {
  readonly name: string;
  readonly bytes: number;
  readonly count: number;
  /** The largest first. */
  readonly parts: readonly FieldSize[];
}

const fieldSize: z.ZodType<FieldSize> = z.lazy(() =>
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

const sizeLevels = ['group', 'client', 'type', 'resource', 'field'] as const;

const sizeItem = z.object({
  /**
   * The parameter of the next level: a filter for the clients of a group (`q`), the id of a client, a type URL, or a
   * name.
   */
  key: z.string(),
  label: z.string(),
  bytes: count,
  /** The number of resources, or of values of a field. */
  count,
  /** Its parts, the largest first. */
  parts: z.array(fieldSize),
  /** The first measured size of a client, or of a type of one client; absent: not measured yet, or no longer kept. */
  before: z.object({ at: time, bytes: count }).optional(),
  /** The number of the clients of a group, and the smallest and the largest size; absent for other items. */
  clients: z.object({ count, leastBytes: count, mostBytes: count }).optional(),
});

/** One response of a type in state of the world, as the client would receive it. */
const nearLimit = z.object({
  clientId: z.string(),
  nodeId: z.string(),
  typeUrl: z.string(),
  service: z.string(),
  resources: count,
  /** The bodies with their wrapping messages. */
  responseBytes: count,
  /** Resources whose bodies no source reported: the response is at least this large. */
  unreported: count,
});

export const sizes = z.object({
  level: z.enum(sizeLevels),
  /** The largest first, or those that grew most. */
  items: z.array(sizeItem),
  /** The field that groups the clients; absent: they are not grouped. */
  group: z.string().optional(),
  /** The items beyond `limit`: their sum, and the largest of them. */
  rest: z.object({ items: count, bytes: count, largestBytes: count }),
  total: z.object({
    bytes: count,
    clients: count,
    resources: count,
    /** Resources whose size no source reported; no byte count includes them. */
    unreported: count,
  }),
  /** gRPC clients end a stream at a larger message, unless they are configured otherwise. */
  limitBytes: count,
  /** The largest responses, at most 50, of all matching clients or of the one. */
  responses: z.array(nearLimit),
  /**
   * Sizes by type since the first measurement: samples for all clients together, changes for one client. Empty below the
   * types of a client.
   */
  growth: z.array(
    z.object({
      at: time,
      types: z.array(z.object({ typeUrl: z.string(), service: z.string(), bytes: count })),
    }),
  ),
  /** Parts of the filter that are not valid. */
  problems: z.array(z.string()),
});

export type SizesQuery = z.infer<typeof sizesQuery>;
export type SizeItem = z.infer<typeof sizeItem>;
export type NearLimit = z.infer<typeof nearLimit>;
export type SizesAnswer = z.infer<typeof sizes>;
