import path from 'node:path';
import { z } from 'zod';
import { ConfigError } from '../config/config';
import { readDataFile, writeDataFile } from '../data-dir';
import { parseTarget } from '../grpc/target';

const savedSource = z.object({
  kind: z.enum(['csds', 'ads']),
  target: z.string().refine((target) => parseTarget(target).ok, 'expected host:port'),
  label: z.string(),
  paused: z.boolean(),
});
export type SavedSource = z.infer<typeof savedSource>;

const savedFile = z.object({
  /** Added in the browser. */
  sources: z.array(savedSource),
  /** Ids of sources from flags or file that were paused in the browser. */
  pausedIds: z.array(z.string()).default([]),
});
export type SavedSources = z.infer<typeof savedFile>;

/** What people added and paused in the browser, in `sources.json` of the data dir. */
export class SavedSourcesFile {
  private readonly file: string;

  constructor(dataDir: string) {
    this.file = path.join(dataDir, 'sources.json');
  }

  read(): SavedSources {
    const content = readDataFile(this.file);
    if (content === undefined) return { sources: [], pausedIds: [] };
    try {
      return parseSaved(JSON.parse(content.toString('utf8')));
    } catch (cause) {
      const reason = (cause instanceof Error ? cause.message : String(cause)).replace(/\s+/g, ' ');
      throw new ConfigError(
        `${this.file}: expected the sources that xdscope saved there, got something else (${reason})`,
      );
    }
  }

  write(content: SavedSources): void {
    writeDataFile(this.file, JSON.stringify(content, null, 2));
  }
}

function parseSaved(json: unknown): SavedSources {
  const parsed = savedFile.safeParse(json);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new Error(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not understood'}`);
}
