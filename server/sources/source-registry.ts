import type { Source } from '@/lib/api/schema';
import { formatIsoTimeOrNull } from '@/lib/format/iso-time';
import { type SourceSetup, securityOf } from '../config/source-setup';
import { initialSourceStatus, type RunningSource, type SourceStatus } from '../source-status';
import type { ProbeSettings } from '../xds/probe-settings';

export interface SourceDescription {
  /** See sourceIdOf(). */
  readonly id: string;
  readonly kind: Source['kind'];
  readonly target: string;
  readonly label: string;
  readonly origin: Source['origin'];
  readonly security: Source['security'];
  readonly settings: Source['settings'];
  /** What it was told; undefined of what runs by itself. Not shown as it is: it names files. */
  readonly setup?: SourceSetup;
}

/** Makes the running part; `onStatus` is called with every new status. */
export type StartSource = (onStatus: (status: SourceStatus) => void) => RunningSource;

interface Entry {
  readonly description: SourceDescription;
  readonly running: RunningSource;
  status: SourceStatus;
}

export interface SourceRegistryOptions {
  /** The source is different: its row, and perhaps how fresh its clients are. */
  readonly onChange: (source: Source, before: SourceStatus, now: SourceStatus) => void;
  readonly onRemoved: (sourceId: string, last: SourceStatus) => void;
}

/** Every source of this process, running or paused. */
export class SourceRegistry {
  private readonly entries = new Map<string, Entry>();

  constructor(private readonly options: SourceRegistryOptions) {}

  has(id: string): boolean {
    return this.entries.has(id);
  }

  /** Starts it, unless it is to begin paused. An id that is there already is a mistake of the caller. */
  add(description: SourceDescription, start: StartSource, paused = false): Source {
    if (this.entries.has(description.id)) throw new Error(`source ${description.id} is there already`);
    return this.begin(description, start, paused, initialSourceStatus);
  }

  /** Ends the source and starts it anew as `description` says, under the same id; undefined when it is not here. */
  async replace(description: SourceDescription, start: StartSource): Promise<Source | undefined> {
    const before = this.entries.get(description.id);
    if (before === undefined) return undefined;
    await before.running.close();
    // Meanwhile somebody may have removed it, or replaced it by something newer.
    if (this.entries.get(description.id) !== before) return this.find(description.id);
    return this.begin(description, start, before.status.state === 'paused', before.status);
  }

  private begin(
    description: SourceDescription,
    start: StartSource,
    paused: boolean,
    before: SourceStatus,
  ): Source {
    const entry: Entry = {
      description,
      running: start((status) => this.hear(entry, status)),
      status: before,
    };
    this.entries.set(description.id, entry);
    if (paused) entry.running.pause();
    entry.running.start();
    entry.status = entry.running.status;
    const source = buildSource(entry);
    this.options.onChange(source, before, entry.status);
    return source;
  }

  list(): Source[] {
    return [...this.entries.values()].map(buildSource);
  }

  find(id: string): Source | undefined {
    const entry = this.entries.get(id);
    return entry === undefined ? undefined : buildSource(entry);
  }

  /** What it was told; undefined of what runs by itself, and of what is not here. */
  setupOf(id: string): SourceSetup | undefined {
    return this.entries.get(id)?.description.setup;
  }

  /** Of a probe of ours. */
  probeSettingsOf(id: string): ProbeSettings | undefined {
    const setup = this.setupOf(id);
    return setup?.kind === 'ads' ? setup.settings : undefined;
  }

  statusOf(id: string): SourceStatus | undefined {
    return this.entries.get(id)?.status;
  }

  setPaused(id: string, paused: boolean): Source | undefined {
    const entry = this.entries.get(id);
    if (entry === undefined) return undefined;
    if (paused) entry.running.pause();
    else entry.running.resume();
    this.tell(id, entry.running.status);
    return buildSource(entry);
  }

  async remove(id: string): Promise<boolean> {
    const entry = this.entries.get(id);
    if (entry === undefined) return false;
    this.entries.delete(id);
    // Told first: the same source may be added again before this one has closed.
    this.options.onRemoved(id, entry.status);
    await entry.running.close();
    return true;
  }

  async close(): Promise<void> {
    await Promise.all([...this.entries.values()].map(({ running }) => running.close()));
  }

  /** The source's new status; one that is not (yet) here is not heard. */
  tell(id: string, status: SourceStatus): void {
    const entry = this.entries.get(id);
    if (entry !== undefined) this.hear(entry, status);
  }

  /** What was replaced or removed is not heard any more. */
  private hear(entry: Entry, status: SourceStatus): void {
    if (this.entries.get(entry.description.id) !== entry) return;
    const before = entry.status;
    entry.status = status;
    this.options.onChange(buildSource(entry), before, status);
  }
}

function buildSource({ description: { setup, ...shown }, status }: Entry): Source {
  return {
    ...shown,
    paused: status.state === 'paused',
    state: status.state,
    problem: status.problem,
    notes: [...status.notes],
    lastAttemptAt: formatIsoTimeOrNull(status.lastAttemptAt),
    lastSuccessAt: formatIsoTimeOrNull(status.lastSuccessAt),
    lastChangedAt: formatIsoTimeOrNull(status.lastChangedAt),
    answerBytes: status.answerBytes,
    answers: status.answers,
    failures: status.failures,
    latencyMs: status.latencyMs,
    intervalMs: status.intervalMs,
    clients: status.clients.size,
    ...(setup?.kind === 'tap' &&
      status.tap !== undefined && {
        tap: {
          ...status.tap,
          listenSecurity: securityOf(setup.settings.listenTls),
          upstreamSecurity: securityOf(setup.settings.upstreamTls),
        },
      }),
  };
}
