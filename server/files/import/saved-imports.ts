import * as z from 'zod';
import type { StateEntry } from '../../store/kept-value';
import { fileGap } from '../xdscope-format/file-record';

const savedImport = z.object({
  /** The label of ImportNames. */
  label: z.string(),
  addedAt: z.number(),
  /** The SHA-256 of the file; absent for imports of earlier versions. */
  sha256: z.string().optional(),
  sizeBytes: z.number(),
  observations: z.number(),
  bodies: z.number(),
  /** First and last time, null if there are no observations. */
  from: z.number().nullable(),
  to: z.number().nullable(),
  /** Nothing states the time of the file: `from` and `to` are that of the import. */
  isUndated: z.literal(true).optional(),
  madeBy: z.string(),
  /** Such as "Envoy config dump, JSON"; absent for a recording. */
  what: z.string().optional(),
  /** Number of rows of all clients; absent for a recording. */
  resources: z.number().optional(),
  /** Number of problems, which have a file of their own; absent if there are none. */
  problems: z.number().optional(),
  /** Describes damage of the file, and what the recording lacked before its export. */
  notes: z.array(z.string()),
  /** The pin that keeps the observations; absent if there were too many pins. */
  pinId: z.number().optional(),
  /** The pins in the file as pins of its clients; absent if there are none. */
  labelPins: z.array(z.object({ id: z.number(), label: z.string() })).optional(),
  /** Gaps of the recording; absent if there are none. */
  gaps: z.array(fileGap).optional(),
  /** Time of the last observation by client id. */
  clients: z.record(z.string(), z.number()),
});
export type SavedImport = z.infer<typeof savedImport>;

/** The imported files. */
export const importsEntry: StateEntry<SavedImport[]> = {
  key: 'imports',
  schema: z.array(savedImport),
  initial: [],
};
