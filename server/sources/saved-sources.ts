import path from 'node:path';
import { z } from 'zod';
import { newProbeSettings } from '@/lib/api/schema';
import { ConfigError } from '../config/config';
import { SettingError } from '../config/setting-error';
import { readDataFile, writeDataFile } from '../data-dir';
import { withDistinction } from './distinct-source';
import { type ReadySource, setUpSource } from './set-up-source';

/** As it was asked for: names of files, and nothing of what is in them. */
const savedSource = z.object({
  kind: z.enum(['csds', 'ads', 'envoy-admin', 'istiod']),
  target: z.string(),
  label: z.string(),
  paused: z.boolean(),
  settings: newProbeSettings.optional(),
  /** Of a bootstrap what bootstrapToKeep() leaves; `target` is its first server then. */
  bootstrap: z.record(z.string(), z.unknown()).optional(),
  /** What its id had to tell when it was added; not there: nothing. */
  distinction: z.string().optional(),
});
export type SavedSource = z.infer<typeof savedSource>;

const savedFile = z.object({
  /** Added in the browser. */
  sources: z.array(savedSource),
  /** Ids of sources from flags or file that were paused in the browser. */
  pausedIds: z.array(z.string()).default([]),
});
export type SavedSources = z.infer<typeof savedFile>;

/** Throws SettingError. */
export function setUpSavedSource({
  kind,
  target,
  settings,
  bootstrap,
  distinction,
}: SavedSource): ReadySource {
  const ready = setUpSource({ kind, settings, ...(bootstrap === undefined ? { target } : { bootstrap }) });
  return distinction === undefined ? ready : withDistinction(ready, distinction);
}

/** What people added and paused in the browser, in `sources.json` of the data dir. */
export class SavedSourcesFile {
  private readonly file: string;

  constructor(dataDir: string) {
    this.file = path.join(dataDir, 'sources.json');
  }

  /** Every source in it can be set up. Throws ConfigError. */
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
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new Error(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not understood'}`);
  }
  for (const [index, saved] of parsed.data.sources.entries()) {
    try {
      setUpSavedSource(saved);
    } catch (cause) {
      if (cause instanceof SettingError) throw new Error(`sources.${index}.${cause.message}`, { cause });
      throw cause;
    }
  }
  return parsed.data;
}
