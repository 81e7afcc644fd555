import path from 'node:path';
import { z } from 'zod';
import { newProbeSettings } from '@/lib/api/schema';
import type { Problem } from '@/lib/observation/observation';
import { ConfigError } from '../config/config';
import type { AllCredentials } from '../config/named-credentials';
import { SettingError } from '../config/setting-error';
import { readDataFile, writeDataFile } from '../data-dir';
import { withDistinction } from './distinct-source';
import { type ReadySource, setUpSource } from './set-up-source';

/** Earlier versions let callers of the API name files of certificates and keys here. */
const savedSettings = newProbeSettings.extend({
  tls: z.looseObject({ serverName: z.string().optional() }).optional(),
});

/** As it was asked for. */
const savedSource = z.object({
  kind: z.enum(['csds', 'ads', 'envoy-admin', 'istiod']),
  target: z.string(),
  label: z.string(),
  paused: z.boolean(),
  settings: savedSettings.optional(),
  /** Of a bootstrap what bootstrapToKeep() leaves; `target` is its first server then. */
  bootstrap: z.record(z.string(), z.unknown()).optional(),
  /** Fields of the bootstrap as it came that named files or unix sockets. */
  ignored: z.array(z.string()).optional(),
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

export interface SavedReadySource extends ReadySource {
  /** Why it cannot be started as it was saved; null: it can. */
  readonly problem: Problem | null;
}

/** Throws SettingError where the source would not be one. */
export function setUpSavedSource(
  saved: SavedSource,
  credentials: AllCredentials = new Map(),
): SavedReadySource {
  const found = findReady(saved, credentials);
  // What is not started ignores nothing: its problem names the files.
  const ready = { ...found, ignored: found.problem === null ? (saved.ignored ?? []) : [] };
  return saved.distinction === undefined ? ready : withDistinction(ready, saved.distinction);
}

function findReady(
  { kind, target, settings: { tls, ...choices } = {}, bootstrap }: SavedSource,
  all: AllCredentials,
): SavedReadySource {
  const asked = { kind, ...(bootstrap === undefined ? { target } : { bootstrap }) };
  const { serverName, ...files } = tls ?? {};
  const settings = { ...choices, ...(tls === undefined ? {} : { tls: { serverName } }) };
  const given = Object.keys(settings).length === 0 ? {} : { settings };
  try {
    const ready = setUpSource({ ...asked, ...given }, all);
    // What is saved now names no files: these are of an earlier version.
    const inSettings = Object.keys(files).filter((key) => key.endsWith('File'));
    const named = [...inSettings.map((key) => `settings.tls.${key}`), ...ready.ignored];
    return { ...ready, problem: named.length === 0 ? null : filesProblem(named) };
  } catch (cause) {
    if (!(cause instanceof SettingError) || cause.field !== 'settings.credentials') throw cause;
    // Shown as it was: over TLS.
    const { credentials: _unknown, ...others } = settings;
    const shown = { ...others, ...(bootstrap === undefined && { tls: {} }) };
    return { ...setUpSource({ ...asked, settings: shown }, all), problem: credentialsProblem(cause) };
  }
}

function filesProblem(fields: readonly string[]): Problem {
  return {
    code: 'FILES_NOT_ALLOWED',
    message: `It is not started: it was saved with names of files (${fields.join(', ')}), which only the config file may have`,
    hint: 'Name the files as credentials in the config file, remove this source, and add it again with the credentials.',
  };
}

function credentialsProblem({ message }: SettingError): Problem {
  return {
    code: 'CREDENTIALS_NOT_ALLOWED',
    message: `It is not started: ${message}`,
    hint: 'Name the credentials, and their targets, in the config file, or remove this source.',
  };
}

/** What people added and paused in the browser, in `sources.json` of the data dir. */
export class SavedSourcesFile {
  private readonly file: string;

  constructor(
    dataDir: string,
    private readonly credentials: AllCredentials = new Map(),
  ) {
    this.file = path.join(dataDir, 'sources.json');
  }

  /** Throws SettingError. */
  setUp(saved: SavedSource): SavedReadySource {
    return setUpSavedSource(saved, this.credentials);
  }

  /** Every source in it can be set up. Throws ConfigError. */
  read(): SavedSources {
    const content = readDataFile(this.file);
    if (content === undefined) return { sources: [], pausedIds: [] };
    try {
      return this.parse(JSON.parse(content.toString('utf8')));
    } catch (cause) {
      const reason = (cause instanceof Error ? cause.message : String(cause)).replace(/\s+/g, ' ');
      throw new ConfigError(
        `${this.file}: expected the sources that xdscope saved there, got something else (${reason}); without the file xdscope starts with none`,
      );
    }
  }

  write(content: SavedSources): void {
    writeDataFile(this.file, JSON.stringify(content, null, 2));
  }

  private parse(json: unknown): SavedSources {
    const parsed = savedFile.safeParse(json);
    if (!parsed.success) {
      const issue = parsed.error.issues[0];
      throw new Error(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not understood'}`);
    }
    for (const [index, saved] of parsed.data.sources.entries()) {
      try {
        this.setUp(saved);
      } catch (cause) {
        if (cause instanceof SettingError) throw new Error(`sources.${index}.${cause.message}`, { cause });
        throw cause;
      }
    }
    return parsed.data;
  }
}
