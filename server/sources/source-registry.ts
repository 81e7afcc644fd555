import type { Source, SourcePage, SourcesQuery } from '@/lib/api/schema';
import { formatIsoTimeOrNull } from '@/lib/format/iso-time';
import { redactMessage, redactMessages } from '../codec/secrets/redact-message';
import { securityOf } from '../config/security-shown';
import { type ClientLimitNotice, describeClientLimit } from '../live/client-limits';
import type { ProbeSource } from '../propagation/variant-pairs';
import { initialSourceStatus, type RunningSource, type SourceStatus } from '../source-status';
import type { ProbeSettings } from '../xds/probe/probe-settings';
import type { SourceSetup } from './source-kinds';

export interface SourceDescription {
  /** See sourceIdOf(). */
  readonly id: string;
  readonly kind: Source['kind'];
  readonly target: string;
  readonly label: string;
  readonly origin: Source['origin'];
  readonly security: Source['security'];
  readonly settings: Source['settings'];
  /** The list that found it; null: it was named by itself. */
  readonly listId: string | null;
  /** What is true of it however it runs, before the notes of its status. */
  readonly notices: readonly string[];
  /** What it was reported; undefined of what runs by itself. Not shown as it is: it names files. */
  readonly setup?: SourceSetup;
}

/** Makes the running part; `onStatus` is called with every new status. */
export type StartSource = (onStatus: (status: SourceStatus) => void) => RunningSource;

interface Entry {
  readonly description: SourceDescription;
  readonly start: StartSource;
  readonly running: RunningSource;
  status: SourceStatus;
}

export interface SourceRegistryOptions {
  /** Called before the source starts, for the first time or with other settings. */
  readonly onStart: (source: SourceDescription) => void;
  /** The source is different: its row (see find()), and perhaps how fresh its clients are. Called at every poll of thousands. */
  readonly onChange: (source: SourceDescription, before: SourceStatus, now: SourceStatus) => void;
  /** Of a source: which limit of clients applies, where its newest answer names so many more. */
  readonly findClientLimit?: (sourceId: string, notAdmitted: number) => ClientLimitNotice | undefined;
  readonly onRemoved: (source: SourceDescription, last: SourceStatus) => void;
}

type States = Record<SourceStatus['state'], number>;

/** Every source of this process, running or paused. */
export class SourceRegistry {
  private readonly entries = new Map<string, Entry>();
  /** By list, '' of those that were named by themselves: how many are in which state. */
  private readonly states = new Map<string, States>();

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
    this.count(before, -1);
    return this.begin(description, start, before.status.state === 'paused', before.status);
  }

  /** Ends the source and starts it anew. */
  async restart(id: string): Promise<void> {
    const entry = this.entries.get(id);
    if (entry !== undefined) await this.replace(entry.description, entry.start);
  }

  private begin(
    description: SourceDescription,
    start: StartSource,
    paused: boolean,
    before: SourceStatus,
  ): Source {
    const entry: Entry = {
      description,
      start,
      running: start((status) => this.hear(entry, status)),
      status: before,
    };
    this.entries.set(description.id, entry);
    this.count(entry, 1);
    this.options.onStart(description);
    if (paused) entry.running.pause();
    entry.running.start();
    this.setStatus(entry, entry.running.status);
    this.options.onChange(description, before, entry.status);
    return this.show(entry);
  }

  /** What was named by itself. */
  list(): Source[] {
    const named = [...this.entries.values()].filter(({ description }) => description.listId === null);
    return named.map((entry) => this.show(entry));
  }

  /** Of one list what it found, else what was named by itself: those that match, down ones first. */
  page({ list, state, q, offset, limit }: SourcesQuery): SourcePage {
    const words = q?.toLowerCase();
    const found = [...this.entries.values()].filter(
      ({ description: { listId, target, label }, status }) =>
        listId === (list ?? null) &&
        (state === undefined || status.state === state) &&
        (words === undefined || `${target}\n${label}`.toLowerCase().includes(words)),
    );
    // In the order in which they came, but for those that want somebody to look.
    const down = list === undefined ? [] : found.filter(({ status }) => status.state === 'down');
    const others = down.length === 0 ? found : found.filter(({ status }) => status.state !== 'down');
    const items = [...down, ...others].slice(offset, offset + limit).map((entry) => this.show(entry));
    return { items, total: found.length };
  }

  /** Of all sources; lists themselves count too. */
  counts(): States & { readonly total: number } {
    const all: States = { connecting: 0, up: 0, down: 0, paused: 0 };
    for (const states of this.states.values()) {
      all.connecting += states.connecting;
      all.up += states.up;
      all.down += states.down;
      all.paused += states.paused;
    }
    return { ...all, total: this.entries.size };
  }

  /** Answers to our CSDS questions, of all sources that are here, and how many of them were not decoded. */
  csdsAnswers(): { readonly answers: number; readonly undecoded: number } {
    const sum = { answers: 0, undecoded: 0 };
    for (const { status } of this.entries.values()) {
      if (status.undecoded === undefined) continue;
      sum.answers += status.answers;
      sum.undecoded += status.undecoded;
    }
    return sum;
  }

  find(id: string): Source | undefined {
    const entry = this.entries.get(id);
    return entry === undefined ? undefined : this.show(entry);
  }

  /** What it was reported; undefined of what runs by itself, and of what is not here. */
  setupOf(id: string): SourceSetup | undefined {
    return this.entries.get(id)?.description.setup;
  }

  /** All of ours, in the order in which they came. */
  listProbes(): ProbeSource[] {
    const probes: ProbeSource[] = [];
    for (const { description } of this.entries.values()) {
      const { id, target, settings } = description;
      if (settings !== null) probes.push({ id, target, settings });
    }
    return probes;
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
    this.publish(id, entry.running.status);
    return this.show(entry);
  }

  async remove(id: string): Promise<boolean> {
    const entry = this.entries.get(id);
    if (entry === undefined) return false;
    this.entries.delete(id);
    this.count(entry, -1);
    // Reported first: the same source may be added again before this one has closed.
    this.options.onRemoved(entry.description, entry.status);
    await entry.running.close();
    return true;
  }

  async close(): Promise<void> {
    await Promise.all([...this.entries.values()].map(({ running }) => running.close()));
  }

  /** The source's new status; one that is not (yet) here is not heard. */
  publish(id: string, status: SourceStatus): void {
    const entry = this.entries.get(id);
    if (entry !== undefined) this.hear(entry, status);
  }

  /** What was replaced or removed is not heard any more. */
  private hear(entry: Entry, status: SourceStatus): void {
    if (this.entries.get(entry.description.id) !== entry) return;
    const before = entry.status;
    this.setStatus(entry, status);
    this.options.onChange(entry.description, before, status);
  }

  private setStatus(entry: Entry, status: SourceStatus): void {
    if (entry.status.state === status.state) {
      entry.status = status;
      return;
    }
    this.count(entry, -1);
    entry.status = status;
    this.count(entry, 1);
  }

  private count({ description: { listId }, status: { state } }: Entry, by: 1 | -1): void {
    const states = this.states.get(listId ?? '') ?? { connecting: 0, up: 0, down: 0, paused: 0 };
    states[state] += by;
    this.states.set(listId ?? '', states);
  }

  private show(entry: Entry): Source {
    const { description } = entry;
    const { notAdmitted = 0 } = entry.status;
    const source = buildSource(entry, this.options.findClientLimit?.(description.id, notAdmitted));
    if (description.setup === undefined || !('member' in description.setup)) return source;
    const states = this.states.get(description.id) ?? { connecting: 0, up: 0, down: 0, paused: 0 };
    const total = states.connecting + states.up + states.down + states.paused;
    return { ...source, members: { ...states, total } };
  }
}

function buildSource(
  { description: { setup, notices, ...shown }, status }: Entry,
  clientLimit: ClientLimitNotice | undefined,
): Source {
  return {
    ...shown,
    paused: status.state === 'paused',
    state: status.state,
    problem: redactMessages(status.problem),
    notes: [
      ...notices,
      ...(clientLimit === undefined ? [] : [describeClientLimit(clientLimit)]),
      ...status.notes,
    ].map(redactMessage),
    lastAttemptAt: formatIsoTimeOrNull(status.lastAttemptAt),
    lastSuccessAt: formatIsoTimeOrNull(status.lastSuccessAt),
    lastChangedAt: formatIsoTimeOrNull(status.lastChangedAt),
    answerBytes: status.answerBytes,
    answers: status.answers,
    failures: status.failures,
    latencyMs: status.latencyMs,
    intervalMs: status.intervalMs,
    clients: status.clients.size,
    ...(clientLimit !== undefined && { clientLimit }),
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
