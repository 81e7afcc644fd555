import { z } from 'zod';
import { limit, offset } from './query-fields';
import { time } from './words';

/** Of a file that is uploaded. No form of another site can send one of these. Its content states its kind. */
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

export const importStates = [
  'receiving',
  'unpacking',
  'reading',
  /** It is among the sources. */
  'done',
  'failed',
  'canceled',
] as const;

/** A file that is imported, or was. */
export const fileImport = z.object({
  id: z.string(),
  /** As its source is called. */
  label: z.string(),
  state: z.enum(importStates),
  /** Of the state: bytes while it is received or unpacked, parts of the document while it is read. */
  progress: z.object({
    done: z.number().int(),
    /** null: not known. */
    total: z.number().int().nullable(),
  }),
  /** As in "Envoy config dump, JSON, gzip"; empty: not known yet. */
  what: z.string(),
  sizeBytes: z.number().int(),
  clients: z.number().int(),
  /** Ids of the first of them. */
  clientIds: z.array(z.string()),
  resources: z.number().int(),
  /** What could not be read; the import's page lists it. */
  problems: z.number().int(),
  /** Why it failed; empty: it did not. */
  reason: z.string(),
  startedAt: time,
  /** null: it goes on. */
  endedAt: time.nullable(),
});
export type FileImport = z.infer<typeof fileImport>;

/** Newest first. */
export const fileImportList = z.object({ items: z.array(fileImport) });

export const importProblem = z.object({
  /** JSON path in the document; empty: all of it. */
  place: z.string(),
  /** Byte of the (unpacked) document at which the part begins; null: not known. */
  offset: z.number().int().nullable(),
  reason: z.string(),
});
export type ImportProblem = z.infer<typeof importProblem>;

export const importProblemsQuery = z.object({
  offset: offset('Problems'),
  limit: limit('problems', { min: 1, max: 1_000, otherwise: 100 }),
});
export type ImportProblemsQuery = z.infer<typeof importProblemsQuery>;

/** In the order of the file. */
export const importProblems = z.object({
  items: z.array(importProblem),
  /** All that there were; those beyond `kept` were counted alone. */
  total: z.number().int(),
  kept: z.number().int(),
});
export type ImportProblems = z.infer<typeof importProblems>;
