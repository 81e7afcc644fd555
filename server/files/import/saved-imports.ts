import path from 'node:path';
import { z } from 'zod';
import { ConfigError } from '../../config-error';
import { readDataFile, writeDataFile } from '../../data-dir';
import { fileGap } from '../xdscope-format/file-record';

const savedImport = z.object({
  /** Of ImportNames. */
  label: z.string(),
  addedAt: z.number(),
  sizeBytes: z.number(),
  observations: z.number(),
  bodies: z.number(),
  /** First and last moment; null: nothing was observed. */
  from: z.number().nullable(),
  to: z.number().nullable(),
  madeBy: z.string(),
  /** As in "Envoy config dump, JSON"; not there: a recording. */
  what: z.string().optional(),
  /** Rows of all clients; not there: a recording. */
  resources: z.number().optional(),
  /** How many; they are in a file of their own. Not there: none. */
  problems: z.number().optional(),
  /** What was lost of the file, and what it lacked before, in words. */
  notes: z.array(z.string()),
  /** Of the recorder: keeps it, however old it is. Not there: there were too many pins. */
  pinId: z.number().optional(),
  /** What the file calls pins, as pins of its clients. Not there: it has none. */
  labelPins: z.array(z.object({ id: z.number(), label: z.string() })).optional(),
  /** What was not recorded before it was a file. Not there: nothing. */
  gaps: z.array(fileGap).optional(),
  /** By client id. */
  clients: z.record(z.string(), z.number()),
});
export type SavedImport = z.infer<typeof savedImport>;

/** Which files are in the log, in `imports.json` of the data dir. */
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
        `${this.#file}: expected the files that xdscope imported, got something else (${reason}); without the file xdscope starts with none`,
      );
    }
  }

  write(imports: readonly SavedImport[]): void {
    writeDataFile(this.#file, JSON.stringify(imports, null, 2));
  }
}
