/** GET history: the log as pages, marks and densities. */

import * as z from 'zod';
import { vantage } from '../../observation/field-schemas';
import { sourceKinds } from '../../observation/source-kinds';
import { time } from '../fields/answer-fields';
import { historyKinds } from './history-kinds';

const historyKind = z.enum(historyKinds);
/** The kind of the source, in a file or not; absent: the log no longer has its declaration. */
const sourceKind = z.enum(sourceKinds).optional();

/** One observation as a table row and a mark on the axis; GET history/{seq} has the rest. */
const historyEvent = z.object({
  seq: z.number().int(),
  at: time,
  kind: historyKind,
  vantage,
  sourceId: z.string(),
  sourceKind,
  clientId: z.string().optional(),
  nodeId: z.string().optional(),
  streamId: z.string().optional(),
  /** The method of an opened stream, as in "DeltaAggregatedResources"; absent for other kinds. */
  method: z.string().optional(),
  typeUrl: z.string().optional(),
  /** As in "CDS"; the last part of the type URL for types without a service. */
  service: z.string().optional(),
  versionInfo: z.string().optional(),
  nonce: z.string().optional(),
  /** error_detail of a NACK, status and details of a closed stream, or the problem of a source. Cut to 300 characters. */
  errorText: z.string().optional(),
  names: z.array(z.string()).meta({
    description:
      'The first of the names that it requests, unsubscribes from, delivers, changes, rejects or removes.',
  }),
  nameCount: z.number().int().meta({ description: 'How many different names it has in all.' }),
  changed: z.number().int().meta({ description: 'Rows of the client that it changes.' }),
  removed: z.number().int().meta({
    description: 'Rows of the client that it removes; for a delta response, its removed_resources.',
  }),
  sizeBytes: z.number().int().optional(),
  /** Milliseconds from the request to its response, or from a response to its ACK or NACK. */
  tookMs: z.number().optional(),
  /** The ACK or NACK to a response, or the response to an ACK or NACK. Absent: not known. */
  pairSeq: z.number().int().optional(),
  /** The number of equal events that it stands for. */
  repeats: z.number().int(),
  text: z.string(),
  isTrouble: z.boolean(),
  /** Set if its client came from a file that was removed since. */
  ofRemovedFile: z.literal(true).optional(),
});

const historyGap = z.object({
  fromSeq: z.number().int(),
  toSeq: z.number().int(),
  from: time,
  to: time,
  reason: z.string(),
});

/** `older` and `newer` are cursors to continue with. Absent: there is nothing (yet). */
export const historyPage = z.object({
  /**
   * Newest first, in the order of the log. Observations of several sources may arrive some milliseconds apart, so that
   * `at` is not strictly descending.
   */
  items: z.array(historyEvent),
  older: z.string().optional(),
  newer: z.string().optional(),
  /** Observations that could not be recorded, between the oldest and the newest item. */
  gaps: z.array(historyGap),
  oldestAt: time.optional(),
  newestSeq: z.number().int(),
});

/**
 * Many events in columns for drawing, oldest first by time, then by seq: index i of each column is event i. Times are
 * epoch milliseconds.
 */
const historyMarks = z.object({
  kind: z.literal('marks'),
  from: z.number(),
  to: z.number(),
  /** One lane for each stream and type; the streams of one client are adjacent. */
  lanes: z.array(
    z.object({
      id: z.string(),
      clientId: z.string().optional(),
      nodeId: z.string().optional(),
      sourceId: z.string(),
      sourceKind,
      streamId: z.string().optional(),
      typeUrl: z.string().optional(),
      service: z.string().optional(),
    }),
  ),
  seq: z.array(z.number().int()),
  at: z.array(z.number()),
  /** Index into historyKinds. */
  kinds: z.array(z.number().int()),
  /** Index into lanes. */
  lane: z.array(z.number().int()),
  /** Milliseconds; -1: not known. */
  tookMs: z.array(z.number()),
  /** The seq of the paired event; -1: none. */
  pair: z.array(z.number().int()),
  gaps: z.array(historyGap),
});

/** Counts per kind and time slice, if there are too many events for marks. */
const historyDensity = z.object({
  kind: z.literal('density'),
  from: z.number(),
  to: z.number(),
  bucketMs: z.number(),
  total: z.number().int(),
  /** Empty slices are left out. Lanes are types here; "" has the events without a type. */
  buckets: z.array(
    z.object({
      at: z.number(),
      typeUrl: z.string(),
      /** The counts by kind; zeros are left out. */
      counts: z.partialRecord(historyKind, z.number().int()),
    }),
  ),
  gaps: z.array(historyGap),
});

export const historyTimeline = z.discriminatedUnion('kind', [historyMarks, historyDensity]);

/** The meaning of an event for a resource. `rejected`: a body of it was rejected. */
const historyResourceChanges = ['asked', 'let-go', 'brought', 'changed', 'rejected', 'removed'] as const;

const historyResource = z.object({
  typeUrl: z.string(),
  service: z.string(),
  name: z.string(),
  change: z.enum(historyResourceChanges),
  versionInfo: z.string().optional(),
  /** The body that was delivered, accepted or rejected. Absent: none, or not reported. */
  hash: z.string().optional(),
  sizeBytes: z.number().int().optional(),
  /** The ClientStatus after the event. Absent: the event does not state it. */
  clientStatus: z.string().optional(),
  errorText: z.string().optional(),
  /** The body that the client held before under this name. Absent: none is known. */
  before: z
    .object({ hash: z.string(), versionInfo: z.string(), sizeBytes: z.number().int().optional() })
    .optional(),
});

/** GET history/{seq}: one event in full. */
export const historyDetail = z.object({
  event: historyEvent,
  /** The ACK or NACK to a response, or the response to an ACK or NACK. */
  pair: historyEvent.optional(),
  /** The message as proto3 JSON, rebuilt with the names of its resources. Absent: the event has no message. */
  message: z
    .object({
      /** As in "envoy.service.discovery.v3.DiscoveryResponse". */
      typeName: z.string(),
      json: z.string(),
      /** Lists have only their first items. */
      isCut: z.boolean(),
    })
    .optional(),
  facts: z.array(z.object({ label: z.string(), value: z.string() })),
  resources: z.object({
    items: z.array(historyResource),
    total: z.number().int(),
    offset: z.number().int(),
    limit: z.number().int(),
  }),
  /** The reason why `before` may be missing; empty: nothing is missing. */
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
