import path from 'node:path';
import * as z from 'zod';
import { writeCheckedFile } from '../../checked-files';
import { ConfigError } from '../../config-error';
import { readDataFile } from '../../data-dir';
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

/** The imported files, stored in `imports.json` of the data dir. */
export class SavedImports {
  readonly #file: string;

  constructor(dataDir: string) {
    this.#file = path.join(dataDir, 'imports.json');
  }

  /** Throws ConfigError. */
  read(): SavedImport[] {
    const content = readDataFile(this.#file);
    if (content === undefined) return [];
    try {
      return z.array(savedImport).parse(JSON.parse(content.toString('utf8')));
    } catch (cause) {
      const reason = (cause instanceof Error ? cause.message : String(cause)).replace(/\s+/g, ' ');
      throw new ConfigError(
        `${this.#file}: expected the files that xdscope imported, got something else (${reason}): put back a copy, or remove the file, and xdscope starts without imported files`,
      );
    }
  }

  write(imports: readonly SavedImport[]): void {
    writeCheckedFile(this.#file, JSON.stringify(imports, null, 2));
  }
}
