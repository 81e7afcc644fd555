import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { ConfigError } from '../config/config';

const savedSource = z.object({
  kind: z.enum(['csds', 'ads']),
  target: z.string(),
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
    let text: string;
    try {
      text = readFileSync(this.file, 'utf8');
    } catch (cause) {
      if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT')
        return { sources: [], pausedIds: [] };
      throw cause;
    }
    try {
      return savedFile.parse(JSON.parse(text));
    } catch (cause) {
      const reason = cause instanceof Error ? (cause.message.split('\n')[0] ?? '') : String(cause);
      throw new ConfigError(
        `${this.file}: expected the sources that xdscope saved there, got something else (${reason})`,
      );
    }
  }

  /** Whole file at once, moved into place: a crash in the middle leaves the old one. */
  write(content: SavedSources): void {
    const next = `${this.file}.new`;
    writeFileSync(next, JSON.stringify(content, null, 2));
    renameSync(next, this.file);
  }
}
