/**
 * GET diff: the differences of two clients, moments, permalinks or files, or of two resources of them. Sides are named
 * by addresses: see lib/views/compare/diff-address.ts.
 */
import * as z from 'zod';
import { diffItemKinds } from '../../diff/diff-item-kind';
import { diffLineKinds } from '../../diff/diff-lines';
import { resourceRow } from '../../observation/resource-schemas';
import { time } from '../fields/answer-fields';
import { moment } from '../fields/moment';
import { described, limit, offset } from '../fields/query-fields';

const count = z.number().int();

const diffSide = z.object({
  /** The address in the canonical form. */
  address: z.string(),
  what: z.enum(['client', 'permalink']),
  id: z.string(),
  clientId: z.string(),
  nodeId: z.string(),
  scope: z.string(),
  /** The side whose state is compared: what control planes sent, or what the client reports. */
  side: z.enum(['client', 'control-plane']),
  /** The source of the rows; absent: all sources. */
  sourceId: z.string().optional(),
  at: time,
  /** Absent: now, or the moment at which a permalink was made. */
  moment: moment.optional(),
  resources: count,
});

const row = resourceRow.pick({
  versionInfo: true,
  hash: true,
  sizeBytes: true,
  state: true,
  changedAt: true,
});

const diffLine = z.object({
  kind: z.enum(diffLineKinds),
  /** As in "virtualHosts[shop].routes[all].route.timeout". */
  path: z.string(),
  /** JSON, of which long values are cut. Absent: the side lacks the field. */
  before: z.string().optional(),
  after: z.string().optional(),
  reason: z.string(),
});

const totals = z.object({ changes: count, reordered: count, notation: count });

const diffItem = z.object({
  kind: z.enum(diffItemKinds),
  typeUrl: z.string(),
  service: z.string(),
  name: z.string(),
  /** Absent: absent on this side. */
  left: row.optional(),
  right: row.optional(),
  /** The totals of the two bodies; absent: there are not two bodies to compare. */
  totals: totals.optional(),
  /** The first lines of the difference. */
  lines: z.array(diffLine),
});

/** A row of the tree. Its children follow it, at the next depth. `path` is the whole path. */
export const diffRow = diffLine.extend({
  /** `inside`: the differences are in the child rows. */
  kind: z.enum([...diffLineKinds, 'inside']),
  depth: count,
  /** The path from the parent row. Single steps are joined. */
  label: z.string(),
  changes: count,
  /** The number of equal fields and elements that are not shown. */
  equal: count,
});

export const diffAnswer = z.object({
  left: diffSide,
  right: diffSide,
  /** Sentences, the most important first. */
  summary: z.array(z.string()),
  /** Numbers of resources before any filter. `equal`: without a difference of the requested kinds. */
  counts: z.object({
    changed: count,
    added: count,
    removed: count,
    unread: count,
    status: count,
    order: count,
    notation: count,
    version: count,
    equal: count,
  }),
  /** The number of `items` before paging. */
  total: count,
  offset: count,
  /** The items in the fixed order of types, then by name. */
  items: z.array(diffItem),
  /** If both addresses name a resource: the tree of the differences in it. Empty if there are not two bodies. */
  tree: z.object({ rows: z.array(diffRow), isCut: z.boolean() }).optional(),
});

export const diffQuery = z.object({
  left: described(
    z.string().min(1).max(10_000),
    'client/ID, client/ID@MOMENT (ISO 8601, or seq:4711) or permalink/ID; then, if wanted, ;control-plane for the resources that control planes report as sent, or, of a client, ;source=ID (percent-encoded) for what one source reports, as a tap or one of several control planes; then, for one resource, /TYPE/NAME as in /CDS/shop-cart.',
  ),
  right: described(z.string().min(1).max(10_000), 'The other side, in the same form.'),
  kind: described(z.enum(diffItemKinds).optional(), 'Only differences of this kind.'),
  type: described(z.string().max(1_000).optional(), 'Only this type, as in CDS, or a type URL.'),
  q: described(z.string().max(1_000).default(''), 'Part of the name of a resource.'),
  versions: described(
    z.enum(['true', 'false']).default('false'),
    'true: also resources that differ in nothing but their versions.',
  ),
  offset: offset('Resources'),
  limit: limit('resources', { max: 1_000, otherwise: 200 }),
});

export type DiffQuery = z.infer<typeof diffQuery>;

export type DiffSide = z.infer<typeof diffSide>;
export type DiffAnswer = z.infer<typeof diffAnswer>;
export type DiffAnswerItem = DiffAnswer['items'][number];
