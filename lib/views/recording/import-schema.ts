import * as z from 'zod';
import { time } from '../fields/answer-fields';
import { limit, offset } from '../fields/query-fields';

/**
 * The media types of an uploaded file. A form of another site cannot send one of these. The content determines the kind.
 */
export const importMediaTypes = [
  'application/octet-stream',
  'application/json',
  'application/yaml',
  'application/x-yaml',
  'application/protobuf',
  'application/x-protobuf',
  'application/gzip',
  'application/x-gzip',
  'application/zstd',
] as const;

const importStates = [
  'receiving',
  /** Another import is being read. */
  'waiting',
  'unpacking',
  'reading',
  /** It is listed as a source. */
  'done',
  'failed',
  'canceled',
] as const;

const fileImport = z.object({
  id: z.string(),
  label: z.string(),
  state: z.enum(importStates),
  /** The progress in bytes while the file is received or unpacked, in parts of the document while it is read. */
  progress: z.object({
    done: z.number().int(),
    /** Absent: not known. */
    total: z.number().int().optional(),
  }),
  /** As in "Envoy config dump, JSON, gzip"; empty: not known yet. */
  what: z.string(),
  sizeBytes: z.number().int(),
  clients: z.number().int(),
  /** The ids of the first of them. */
  clientIds: z.array(z.string()),
  resources: z.number().int(),
  /** The number of parts that could not be read. */
  problems: z.number().int(),
  /** The reason why it failed; empty: it did not. */
  reason: z.string(),
  startedAt: time,
  /** Absent: it is running. */
  endedAt: time.optional(),
});
export type FileImport = z.infer<typeof fileImport>;

/** Newest first. */
export const fileImportList = z.object({ items: z.array(fileImport) });

export const importProblem = z.object({
  /** JSON path in the document; empty: the whole document. */
  place: z.string(),
  /** The byte of the (unpacked) document at which the part begins; absent: not known. */
  offset: z.number().int().optional(),
  reason: z.string(),
});
export type ImportProblem = z.infer<typeof importProblem>;

export const importProblemsQuery = z.object({
  offset: offset('Problems'),
  limit: limit('problems', { min: 1, max: 1_000, otherwise: 100 }),
});
export type ImportProblemsQuery = z.infer<typeof importProblemsQuery>;

/** The problems in the order of the file. */
export const importProblems = z.object({
  items: z.array(importProblem),
  /** The number of all problems; those beyond `kept` are only counted. */
  total: z.number().int(),
  kept: z.number().int(),
});
export type ImportProblems = z.infer<typeof importProblems>;
