import { z } from 'zod';
import type { Recorded } from '@/lib/observation/observation';
import type { Body } from '@/server/observe';
import type { FileLoad } from './load-records';
import type { FileSource, FileState } from './observation-shape';

const count = z.number().int().nonnegative();
const moment = z.number().min(-8.64e15).max(8.64e15);

export const fileHeader = z.object({
  /** As in "xdscope 0.1.0". */
  madeBy: z.string(),
  madeAt: moment,
  /** What was asked for; null: from the beginning, or up to the moment of the export. */
  from: moment.nullable(),
  to: moment.nullable(),
  clients: z.array(z.object({ clientId: z.string(), nodeId: z.string(), scope: z.string() })),
  /** How many clients are not in the list, which is cut. */
  clientsLeftOut: count,
  /** For people. */
  redaction: z.string(),
  /** What the recording lacked already when it was exported, in words. */
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

/** A range that somebody named, and keeps. */
export const fileLabel = z.object({
  from: moment,
  to: moment,
  label: z.string(),
  /** null: everybody's. */
  clientId: z.string().nullable(),
});
export type FileLabel = z.infer<typeof fileLabel>;

export const fileCounts = z.object({
  states: count,
  observations: count,
  bodies: count,
  /** Named, and no longer there when the file was made. */
  missingBodies: count,
});
export type FileCounts = z.infer<typeof fileCounts>;

/** What a file is made of, in this order but for sources and bodies: each comes before what names it first. */
export type FileRecord =
  | { readonly kind: 'header'; readonly header: FileHeader }
  | { readonly kind: 'sources'; readonly sources: readonly FileSource[] }
  | { readonly kind: 'states'; readonly states: readonly FileState[] }
  | { readonly kind: 'observations'; readonly observations: readonly Recorded[] }
  | { readonly kind: 'bodies'; readonly bodies: readonly Body[] }
  | { readonly kind: 'gaps'; readonly gaps: readonly FileGap[] }
  | { readonly kind: 'labels'; readonly labels: readonly FileLabel[] }
  | { readonly kind: 'load'; readonly load: FileLoad };

/** What a reader reports beside: the end that the writer promised, and what is lost. */
export type ReadRecord =
  | FileRecord
  | { readonly kind: 'end'; readonly counts: FileCounts }
  | { readonly kind: 'damage'; readonly reason: string };
