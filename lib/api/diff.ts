/**
 * GET diff: what really differs between two of {client, moment, permalink, file} or between two resources of them. Sides are
 * named by addresses: see lib/view-model/compare/diff-address.ts.
 */
import { z } from 'zod';
import { diffLineKinds } from '../diff/diff-lines';
import { diffItemKinds } from '../view-model/compare/diff-item';
import { clientStatuses } from '../xds/status';
import { moment } from './moment';
import { time } from './words';

const count = z.number().int();

export const diffSide = z.object({
  /** In its one spelling. */
  address: z.string(),
  what: z.enum(['client', 'permalink']),
  id: z.string(),
  clientId: z.string(),
  nodeId: z.string(),
  scope: z.string(),
  /** Whose word: what control planes say that they sent, or what the client says. */
  side: z.enum(['client', 'control-plane']),
  /** The one source that tells it; not there: all of them. */
  sourceId: z.string().optional(),
  /** Of which moment it is. */
  at: time,
  /** Not there: now, or what a permalink froze when it was made. */
  moment: moment.optional(),
  /** Resources that it names. */
  resources: count,
});

const row = z.object({
  versionInfo: z.string(),
  hash: z.string().nullable(),
  sizeBytes: count.nullable(),
  clientStatus: z.enum(clientStatuses),
  changedAt: time,
});

export const diffLine = z.object({
  kind: z.enum(diffLineKinds),
  /** As in "virtualHosts[shop].routes[all].route.timeout". */
  path: z.string(),
  /** JSON; null: it is not there. Long values are cut. */
  before: z.string().nullable(),
  after: z.string().nullable(),
  reason: z.string(),
});

const totals = z.object({ changes: count, reordered: count, notation: count });

export const diffItem = z.object({
  kind: z.enum(diffItemKinds),
  typeUrl: z.string(),
  service: z.string(),
  name: z.string(),
  /** null: not named there. */
  left: row.nullable(),
  right: row.nullable(),
  /** Of two bodies; null: there are no two that could be compared. */
  totals: totals.nullable(),
  /** The first lines of what differs. */
  lines: z.array(diffLine),
});

/** A line of the tree; its children follow, one deeper. */
export const diffRow = diffLine.extend({
  kind: z.enum([...diffLineKinds, 'inside']),
  depth: count,
  label: z.string(),
  changes: count,
  equal: count,
});

export const diffAnswer = z.object({
  left: diffSide,
  right: diffSide,
  /** In words, most important first. */
  summary: z.array(z.string()),
  /** Of resources, before any filter. `equal`: the same to the byte, or the same but for what was not asked for. */
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
  /** Of `items`, before paging. */
  total: count,
  offset: count,
  /** In the fixed order of types, then by name. */
  items: z.array(diffItem),
  /** Where both addresses name a resource: the tree of what differs in it. Empty where there are no two bodies. */
  tree: z.object({ rows: z.array(diffRow), isCut: z.boolean() }).optional(),
});

export const diffQuery = z.object({
  left: z.string().min(1).max(10_000),
  right: z.string().min(1).max(10_000),
  kind: z.enum(diffItemKinds).optional(),
  /** "CDS", or a whole type URL. */
  type: z.string().max(1_000).optional(),
  /** Part of the name. */
  q: z.string().max(1_000).default(''),
  /** Lists what differs in nothing but its version, too. */
  versions: z.enum(['true', 'false']).default('false'),
  offset: z.coerce.number().int().min(0).max(10_000_000).default(0),
  limit: z.coerce.number().int().min(0).max(1_000).default(200),
});

export type DiffSide = z.infer<typeof diffSide>;
export type DiffAnswer = z.infer<typeof diffAnswer>;
export type DiffAnswerItem = DiffAnswer['items'][number];
