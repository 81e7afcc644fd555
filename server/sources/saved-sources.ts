import * as z from 'zod';
import type { Problem } from '@/lib/observation/observation';
import { requestedKinds } from '@/lib/observation/source-kinds';
import { newProbeSettings } from '@/lib/views/sources/schema';
import type { AllCredentials } from '../collect/source-kind/named-credentials';
import { SettingError } from '../collect/source-kind/setting-error';
import type { KeptValue, StateEntry } from '../store/kept-value';
import { withDistinction } from './distinct-source';
import { type ReadySource, setUpSource } from './set-up-source';

/** The source as it was requested. */
const savedFields = z.object({
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
export type SavedSource = z.infer<typeof savedFields>;

/** A source that cannot be set up, as one that another version saved, is not accepted. */
const savedSource = savedFields.superRefine((saved, context) => {
  try {
    setUpSavedSource(saved);
  } catch (cause) {
    if (!(cause instanceof SettingError)) throw cause;
    context.addIssue({ code: 'custom', message: cause.message });
  }
});

const savedSources = z.object({
  /** Added in the browser. */
  sources: z.array(savedSource),
  /** Ids of sources from flags or file that were paused in the browser. */
  pausedIds: z.array(z.string()),
});
type Content = z.infer<typeof savedSources>;

export const sourcesEntry: StateEntry<Content> = {
  key: 'sources',
  schema: savedSources,
  initial: { sources: [], pausedIds: [] },
};

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

/** The sources that were added or paused in the browser, in the state. */
export class SavedSources {
  readonly #kept: KeptValue<Content>;
  readonly #credentials: AllCredentials;

  constructor(kept: KeptValue<Content>, credentials: AllCredentials = new Map()) {
    this.#kept = kept;
    this.#credentials = credentials;
  }

  get content(): Content {
    return this.#kept.value;
  }

  /** Throws SettingError. */
  setUp(saved: SavedSource): SavedReadySource {
    return setUpSavedSource(saved, this.#credentials);
  }

  /** Resolves when it is stored. */
  change(update: (before: Content) => Content): Promise<void> {
    return this.#kept.change(update);
  }
}
