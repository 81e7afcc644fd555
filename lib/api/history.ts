/**
 * GET history and what belongs to it: the log as pages, marks and densities. Times are ISO 8601 in UTC; null is "not
 * reported". Pages import types only.
 */
import { z } from 'zod';
import { sourceKinds } from '../observation/declared-source';
import { historyKinds } from './history-kinds';
import { time, vantage } from './words';
export const historyKind = z.enum(historyKinds);
/** The kind of the source, in a file or not; null: the log no longer has its declaration. */
const sourceKind = z.enum(sourceKinds).nullable();

/** One observation as a line: enough for a row of the table and a mark on the axis; the rest is GET history/{seq}. */
export const historyEvent = z.object({
  seq: z.number().int(),
  at: time,
  kind: historyKind,
  vantage,
  sourceId: z.string(),
  sourceKind,
  clientId: z.string().nullable(),
  nodeId: z.string().nullable(),
  streamId: z.string().nullable(),
  /** Of a stream that was opened: as in "DeltaAggregatedResources"; null of everything else. */
  method: z.string().nullable(),
  typeUrl: z.string().nullable(),
  /** As in "CDS"; the type URL's last part for types without a service. */
  service: z.string().nullable(),
  versionInfo: z.string().nullable(),
  nonce: z.string().nullable(),
  /** Of a NACK: error_detail; of an ended stream: status and details; of a source: the problem. Cut to 300 characters. */
  errorText: z.string().nullable(),
  /** The first ones of the names that it is about: asked for, brought, changed, rejected. */
  names: z.array(z.string()),
  nameCount: z.number().int(),
  /** Rows of the client that it changed, and that it took away. */
  changed: z.number().int(),
  removed: z.number().int(),
  sizeBytes: z.number().int().nullable(),
  /** A response: from its request. An ACK or NACK: from its response. Fractions count. */
  tookMs: z.number().nullable(),
  /** A response: the ACK or NACK to it. An ACK or NACK: its response. null: none is known. */
  pairSeq: z.number().int().nullable(),
  /** It stands for so many equal ones. */
  repeats: z.number().int(),
  /** One sentence. */
  text: z.string(),
  isTrouble: z.boolean(),
  /** Its client came from a file that was removed since: there is nothing else to see of it. Not there: it did not. */
  ofRemovedFile: z.literal(true).optional(),
});

export const historyGap = z.object({
  fromSeq: z.number().int(),
  toSeq: z.number().int(),
  from: time,
  to: time,
  reason: z.string(),
});

/** `older` and `newer` are cursors: pass one as `cursor` to read on in that direction. null: nothing is there (yet). */
export const historyPage = z.object({
  /**
   * Newest first, whichever way it was read: in the log's order, which cursors follow. What several sources observed side
   * by side may come to the log some milliseconds apart, so `at` need not fall strictly.
   */
  items: z.array(historyEvent),
  older: z.string().nullable(),
  newer: z.string().nullable(),
  /** Between the oldest and the newest item: what could not be recorded. */
  gaps: z.array(historyGap),
  /** Of the whole log. */
  oldestAt: time.nullable(),
  newestSeq: z.number().int(),
});

/**
 * Many events for drawing, column by column, oldest first by time, then by seq: index i of each is event i. Times are
 * epoch milliseconds.
 */
export const historyMarks = z.object({
  kind: z.literal('marks'),
  from: z.number(),
  to: z.number(),
  /** One lane for each stream and type; streams of one client stand together. */
  lanes: z.array(
    z.object({
      id: z.string(),
      clientId: z.string().nullable(),
      nodeId: z.string().nullable(),
      sourceId: z.string(),
      sourceKind,
      streamId: z.string().nullable(),
      typeUrl: z.string().nullable(),
      service: z.string().nullable(),
    }),
  ),
  seq: z.array(z.number().int()),
  at: z.array(z.number()),
  /** Index into historyKinds. */
  kinds: z.array(z.number().int()),
  /** Index into lanes. */
  lane: z.array(z.number().int()),
  /** Milliseconds; -1 is "not known". */
  tookMs: z.array(z.number()),
  /** Seq of the pair; -1: none. */
  pair: z.array(z.number().int()),
  gaps: z.array(historyGap),
});

/** Too many for marks: how many of which kind in which slice of time. */
export const historyDensity = z.object({
  kind: z.literal('density'),
  from: z.number(),
  to: z.number(),
  bucketMs: z.number(),
  total: z.number().int(),
  /** Empty slices are left out; lanes are by type here, and "" is what has no type. */
  buckets: z.array(
    z.object({
      at: z.number(),
      typeUrl: z.string(),
      /** By kind; zero is left out. */
      counts: z.partialRecord(historyKind, z.number().int()),
    }),
  ),
  gaps: z.array(historyGap),
});

export const historyTimeline = z.discriminatedUnion('kind', [historyMarks, historyDensity]);

/** What an event says of a resource. `rejected`: its newer body was, and what was before stays in use. */
export const historyResourceChanges = [
  'asked',
  'let-go',
  'brought',
  'changed',
  'rejected',
  'removed',
] as const;

export const historyResource = z.object({
  typeUrl: z.string(),
  service: z.string(),
  name: z.string(),
  change: z.enum(historyResourceChanges),
  versionInfo: z.string().nullable(),
  /** Of the body that it is about: brought, accepted or rejected. null: none, or not reported. */
  hash: z.string().nullable(),
  sizeBytes: z.number().int().nullable(),
  /** What the client holds after it, as a client says it. null: it says nothing of that. */
  clientStatus: z.string().nullable(),
  errorText: z.string().nullable(),
  /** The body of the same name that the client held before. null: none is known. */
  before: z
    .object({ hash: z.string(), versionInfo: z.string(), sizeBytes: z.number().int().nullable() })
    .nullable(),
});

/** GET history/{seq}: one event in full. */
export const historyDetail = z.object({
  event: historyEvent,
  /** A response's ACK or NACK, an ACK's or NACK's response. */
  pair: historyEvent.nullable(),
  /** The message, rebuilt as proto3 JSON with its resources named. null: it stands for no message. */
  message: z
    .object({
      /** As in "envoy.service.discovery.v3.DiscoveryResponse". */
      typeName: z.string(),
      json: z.string(),
      /** Only the first of its lists' items are in it. */
      isCut: z.boolean(),
    })
    .nullable(),
  /** What is known beside it. */
  facts: z.array(z.object({ label: z.string(), value: z.string() })),
  resources: z.object({
    items: z.array(historyResource),
    total: z.number().int(),
    offset: z.number().int(),
    limit: z.number().int(),
  }),
  /** What of the time before was not recorded, so that `before` may lack it; empty: nothing. */
  incomplete: z.string(),
});
export type HistoryEvent = z.infer<typeof historyEvent>;
export type HistoryGap = z.infer<typeof historyGap>;
export type HistoryPage = z.infer<typeof historyPage>;
export type HistoryMarks = z.infer<typeof historyMarks>;
export type HistoryDensity = z.infer<typeof historyDensity>;
export type HistoryTimeline = z.infer<typeof historyTimeline>;
export type HistoryResource = z.infer<typeof historyResource>;
export type HistoryDetail = z.infer<typeof historyDetail>;
