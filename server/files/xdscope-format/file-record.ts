import * as z from 'zod';
import type { Recorded } from '@/lib/observation/observation';
import type { Body } from '@/server/observe';
import type { FileLoad } from './load-records';
import type { FileSource, FileState } from './observation-shape';

const count = z.number().int().nonnegative();
const moment = z.number().min(-8.64e15).max(8.64e15);

export const fileHeader = z.object({
  /** Such as "xdscope 0.1.0". */
  madeBy: z.string(),
  madeAt: moment,
  /** The requested range; null for the beginning, or for the time of the export. */
  from: moment.nullable(),
  to: moment.nullable(),
  clients: z.array(z.object({ clientId: z.string(), nodeId: z.string(), scope: z.string() })),
  /** Number of clients that are not listed. */
  clientsLeftOut: count,
  /** A note for readers of the file. */
  redaction: z.string(),
  /** Describes what the recording lacked before its export. */
  notes: z.array(z.string()),
});
export type FileHeader = z.infer<typeof fileHeader>;

export const fileGap = z.object({
  fromSeq: count,
  toSeq: count,
  fromAt: moment,
  toAt: moment,
  reason: z.string(),
});
export type FileGap = z.infer<typeof fileGap>;

/** A pinned range. */
export const fileLabel = z.object({
  from: moment,
  to: moment,
  label: z.string(),
  /** Null for all clients. */
  clientId: z.string().nullable(),
});
export type FileLabel = z.infer<typeof fileLabel>;

export const fileCounts = z.object({
  states: count,
  observations: count,
  bodies: count,
  /** Bodies that were deleted before the export. */
  missingBodies: count,
});
export type FileCounts = z.infer<typeof fileCounts>;

/** The records of a file in this order, except that sources and bodies precede their first reference. */
export type FileRecord =
  | { readonly kind: 'header'; readonly header: FileHeader }
  | { readonly kind: 'sources'; readonly sources: readonly FileSource[] }
  | { readonly kind: 'states'; readonly states: readonly FileState[] }
  | { readonly kind: 'observations'; readonly observations: readonly Recorded[] }
  | { readonly kind: 'bodies'; readonly bodies: readonly Body[] }
  | { readonly kind: 'gaps'; readonly gaps: readonly FileGap[] }
  | { readonly kind: 'labels'; readonly labels: readonly FileLabel[] }
  | { readonly kind: 'load'; readonly load: FileLoad };

/** A reader also reports the counts of the end block, and damage. */
export type ReadRecord =
  | FileRecord
  | { readonly kind: 'end'; readonly counts: FileCounts }
  | { readonly kind: 'damage'; readonly reason: string };
