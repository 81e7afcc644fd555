import path from 'node:path';
import * as z from 'zod';
import { messageOf } from '@/lib/format/message-of';
import type { Problem } from '@/lib/observation/observation';
import { requestedKinds } from '@/lib/observation/source-kinds';
import { newProbeSettings } from '@/lib/views/sources/schema';
import { assertVersion } from '../assert-version';
import { writeCheckedFile } from '../checked-files';
import { ConfigError } from '../config-error';
import { readDataFile } from '../data-dir';
import type { AllCredentials } from '../source-kind/named-credentials';
import { SettingError } from '../source-kind/setting-error';
import { withDistinction } from './distinct-source';
import { type ReadySource, setUpSource } from './set-up-source';

const version = 1;

/** The source as it was requested. */
const savedSource = z.object({
  kind: z.enum(requestedKinds),
  target: z.string(),
  label: z.string(),
  paused: z.boolean(),
  settings: newProbeSettings.optional(),
  /** The result of bootstrapToKeep(); `target` is its first server then. Without servers: that of clientToKeep(). */
  bootstrap: z.record(z.string(), z.unknown()).optional(),
  /** Fields of the original bootstrap that named files or unix sockets. */
  ignored: z.array(z.string()).optional(),
  /** The text that distinguished its id from that of another source when it was added. Absent: there was none. */
  distinction: z.string().optional(),
});
export type SavedSource = z.infer<typeof savedSource>;

const savedFile = z.object({
  version: z.literal(version),
  /** Added in the browser. */
  sources: z.array(savedSource),
  /** Ids of sources from flags or file that were paused in the browser. */
  pausedIds: z.array(z.string()),
});
export type SavedSources = Omit<z.infer<typeof savedFile>, 'version'>;

interface SavedReadySource extends ReadySource {
  /** The reason why the saved source cannot be started. null: it can. */
  readonly problem: Problem | null;
}

/** Throws SettingError if the saved settings are invalid. */
export function setUpSavedSource(
  saved: SavedSource,
  credentials: AllCredentials = new Map(),
): SavedReadySource {
  const found = findReady(saved, credentials);
  const ready = { ...found, ignored: [...(saved.ignored ?? []), ...found.ignored] };
  return saved.distinction === undefined ? ready : withDistinction(ready, saved.distinction);
}

function findReady(
  { kind, target, settings = {}, bootstrap }: SavedSource,
  all: AllCredentials,
): SavedReadySource {
  const hasServers = bootstrap?.xds_servers !== undefined;
  const request = { kind, ...(!hasServers && { target }), ...(bootstrap !== undefined && { bootstrap }) };
  try {
    return { ...setUpSource({ ...request, settings }, all), problem: null };
  } catch (cause) {
    if (!(cause instanceof SettingError) || cause.field !== 'settings.credentials') throw cause;
    // Pages show the source as it was saved, with TLS.
    const { credentials: _unknown, ...others } = settings;
    const shown = { ...others, ...(bootstrap === undefined && { tls: {} }) };
    return { ...setUpSource({ ...request, settings: shown }, all), problem: credentialsProblem(cause) };
  }
}

function credentialsProblem({ message }: SettingError): Problem {
  return {
    code: 'CREDENTIALS_NOT_ALLOWED',
    message: `It is not started: ${message}`,
    hint: 'Name the credentials, and their targets, in the config file, or remove this source.',
  };
}

/** The sources that were added or paused in the browser, in `sources.json` of the data directory. */
export class SavedSourcesFile {
  readonly #credentials: AllCredentials;
  readonly #file: string;

  constructor(dataDir: string, credentials: AllCredentials = new Map()) {
    this.#credentials = credentials;
    this.#file = path.join(dataDir, 'sources.json');
  }

  /** Throws SettingError. */
  setUp(saved: SavedSource): SavedReadySource {
    return setUpSavedSource(saved, this.#credentials);
  }

  /** Throws ConfigError if a source of the file cannot be set up. */
  read(): SavedSources {
    const content = readDataFile(this.#file);
    if (content === undefined) return { sources: [], pausedIds: [] };
    try {
      return this.#parse(JSON.parse(content.toString('utf8')));
    } catch (cause) {
      if (cause instanceof ConfigError) throw cause;
      const reason = messageOf(cause).replace(/\s+/g, ' ');
      throw new ConfigError(
        `${this.#file}: expected the sources that xdscope saved there, got something else (${reason}): put back a copy, or remove the file, and xdscope starts without saved sources`,
      );
    }
  }

  write(content: SavedSources): void {
    writeCheckedFile(this.#file, JSON.stringify({ version, ...content }, null, 2));
  }

  #parse(json: unknown): SavedSources {
    if (typeof json === 'object' && json !== null) assertVersion(this.#file, version, json);
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
    const { sources, pausedIds } = parsed.data;
    return { sources, pausedIds };
  }
}
