import type { RequestedKind } from '@/lib/observation/source-kinds';
import { formOf } from '@/lib/observation/source-kinds';
import type { Health } from '@/lib/views/health/schema';
import type { Source, SourceCostShown, SourcePage, SourcesQuery } from '@/lib/views/sources/schema';
import { redactMessage, redactMessages } from '../codec/secrets/redact-message';
import { type HealthTexts, listenSecurityOf, securityOf } from '../collect/source-kind/source-kind';
import type { ProbeSettings } from '../collect/xds/probe/probe-settings';
import { type ClientLimitNotice, describeClientLimit } from '../live/client-limits';
import type { ProbeSource } from '../live/propagation/variant-pairs';
import { pollLimits, type SourceCost } from '../source-cost';
import { initialSourceStatus, type RunningSource, type SourceStatus } from '../source-status';
import { serversNamedBy } from './named-servers';
import type { SourceSetup } from './source-kinds';

export interface SourceDescription {
  /** See sourceIdOf(). */
  readonly id: string;
  readonly kind: Source['kind'];
  readonly target: string;
  readonly label: string;
  readonly origin: Source['origin'];
  readonly security: Source['security'];
  readonly settings?: Source['settings'];
  /** The id of the list that found the source. Absent: no list did. */
  readonly listId?: string | undefined;
  /** Notes that do not depend on the status. They precede the notes of the status. */
  readonly notices: readonly string[];
  /** See SourceKindValue. */
  readonly health: HealthTexts;
  /**
   * The setup that the source was started with; undefined if no setting started it. Pages do not show it, because it
   * names files.
   */
  readonly setup?: SourceSetup;
}

/** Starts the source. `onStatus` is called with every new status. */
export type StartSource = (onStatus: (status: SourceStatus) => void) => RunningSource;

interface Entry {
  readonly description: SourceDescription;
  readonly start: StartSource;
  readonly running: RunningSource;
  status: SourceStatus;
  /** The kind of source that its target is instead, if it was found. */
  servedKind?: RequestedKind;
}

interface SourceRegistryOptions {
  /** Called before the source starts, for the first time or with other settings. */
  readonly onStart: (source: SourceDescription) => void;
  /** Called after each change of a status, which includes every poll of thousands of sources. */
  readonly onChange: (source: SourceDescription, before: SourceStatus, now: SourceStatus) => void;
  /** The limit of clients that applies to a source whose newest answer names so many clients beyond it. */
  readonly findClientLimit?: (sourceId: string, notAdmitted: number) => ClientLimitNotice | undefined;
  readonly onRemoved: (source: SourceDescription, last: SourceStatus) => void;
}

type States = Record<SourceStatus['state'], number>;

/** Every source of this process, running or paused. */
export class SourceRegistry {
  readonly #options: SourceRegistryOptions;

  readonly #entries = new Map<string, Entry>();
  /** Numbers of sources by state, by the id of their list; '' for sources without a list. */
  readonly #states = new Map<string, States>();

  constructor(options: SourceRegistryOptions) {
    this.#options = options;
  }

  has(id: string): boolean {
    return this.#entries.has(id);
  }

  /** Starts the source, or adds it paused. Throws if the id is in use. */
  add(description: SourceDescription, start: StartSource, paused = false): Source {
    if (this.#entries.has(description.id)) throw new Error(`source ${description.id} exists already`);
    return this.#startEntry(description, start, paused, initialSourceStatus);
  }

  /**
   * Ends the source and starts it again as `description` states, under the same id. undefined: there is no such source.
   */
  async replace(description: SourceDescription, start: StartSource): Promise<Source | undefined> {
    const before = this.#entries.get(description.id);
    if (before === undefined) return undefined;
    await before.running.close();
    // The source may have been removed or replaced in the meantime.
    if (this.#entries.get(description.id) !== before) return this.find(description.id);
    this.#count(before, -1);
    return this.#startEntry(description, start, before.status.state === 'paused', before.status);
  }

  /** Ends the source and starts it again with the same settings. */
  async restart(id: string): Promise<void> {
    const entry = this.#entries.get(id);
    if (entry !== undefined) await this.replace(entry.description, entry.start);
  }

  #startEntry(
    description: SourceDescription,
    start: StartSource,
    paused: boolean,
    before: SourceStatus,
  ): Source {
    const entry: Entry = {
      description,
      start,
      running: start((status) => this.#update(entry, status)),
      status: before,
    };
    this.#entries.set(description.id, entry);
    this.#count(entry, 1);
    this.#options.onStart(description);
    if (paused) entry.running.pause();
    entry.running.start();
    this.#setStatus(entry, entry.running.status);
    this.#options.onChange(description, before, entry.status);
    return this.#show(entry);
  }

  /** Every source, members of lists included. */
  all(): Iterable<{ readonly description: SourceDescription; readonly status: SourceStatus }> {
    return this.#entries.values();
  }

  /** All sources without a list. */
  list(): Source[] {
    const named = [...this.#entries.values()].filter(({ description }) => description.listId === undefined);
    return named.map((entry) => this.#show(entry));
  }

  /** The matching sources of one list, or those without a list, and of these the ones that are down first. */
  page({ list, state, q, offset, limit }: SourcesQuery): SourcePage {
    const words = q?.toLowerCase();
    const found = [...this.#entries.values()].filter(
      ({ description: { listId, target, label }, status }) =>
        listId === list &&
        (state === undefined || status.state === state) &&
        (words === undefined || `${target}\n${label}`.toLowerCase().includes(words)),
    );
    // The sources have the order in which they were added, except that sources that are down come first.
    const down = list === undefined ? [] : found.filter(({ status }) => status.state === 'down');
    const others = down.length === 0 ? found : found.filter(({ status }) => status.state !== 'down');
    const items = [...down, ...others].slice(offset, offset + limit).map((entry) => this.#show(entry));
    return { items, total: found.length, polling: this.#polling() };
  }

  #polling(): SourcePage['polling'] {
    const [rate, limits] = [{ requestsPerSecond: 0, bytesPerSecond: 0 }, pollLimits];
    for (const { status } of this.#entries.values()) {
      const { state, cost, intervalMs = 0 } = status;
      if (state !== 'up' || cost === undefined || intervalMs === 0) continue;
      rate.requestsPerSecond += (cost.newest.requests * 1_000) / intervalMs;
      rate.bytesPerSecond += (cost.newest.bytes * 1_000) / intervalMs;
    }
    return { ...rate, limits };
  }

  /** Numbers of all sources by state. Lists count as sources. */
  counts(): States & { readonly total: number } {
    const all: States = { connecting: 0, up: 0, down: 0, paused: 0 };
    for (const states of this.#states.values()) {
      all.connecting += states.connecting;
      all.up += states.up;
      all.down += states.down;
      all.paused += states.paused;
    }
    return { ...all, total: this.#entries.size };
  }

  /** Numbers of sources by kind and state, without zeros. */
  kinds(): Health['sources']['kinds'] {
    const found = new Map<string, Health['sources']['kinds'][number]>();
    for (const { description, status } of this.#entries.values()) {
      const { kind, health } = description;
      const key = `${kind} ${status.state}`;
      const { count = 0 } = found.get(key) ?? {};
      found.set(key, { kind, state: status.state, health: health[status.state], count: count + 1 });
    }
    return [...found.values()];
  }

  /**
   * Answers to CSDS polls of all current sources, and how many of them were not decoded because nothing had changed.
   */
  csdsAnswers(): { readonly answers: number; readonly undecoded: number } {
    const sum = { answers: 0, undecoded: 0 };
    for (const { status } of this.#entries.values()) {
      if (status.undecoded === undefined) continue;
      sum.answers += status.answers;
      sum.undecoded += status.undecoded;
    }
    return sum;
  }

  find(id: string): Source | undefined {
    const entry = this.#entries.get(id);
    return entry === undefined ? undefined : this.#show(entry);
  }

  /** undefined if no setting started the source, or there is no such source. */
  setupOf(id: string): SourceSetup | undefined {
    return this.#entries.get(id)?.description.setup;
  }

  /** The addresses of management servers to which probes connect, and those at which taps stand in for one. */
  listServers(): string[] {
    const servers = [...this.#entries.values()].flatMap(({ description, status: { tap } }) => [
      ...serversNamedBy(description),
      ...(tap === undefined ? [] : [tap.listen, tap.address ?? tap.listen].map(onThisMachine)),
    ]);
    return [...new Set(servers)];
  }

  /** All probes, in the order in which they were added. */
  listProbes(): ProbeSource[] {
    const probes: ProbeSource[] = [];
    for (const { description } of this.#entries.values()) {
      const { id, target, settings } = description;
      if (settings !== undefined) probes.push({ id, target, settings });
    }
    return probes;
  }

  /** undefined if the source is not a probe. */
  probeSettingsOf(id: string): ProbeSettings | undefined {
    const setup = this.setupOf(id);
    return setup?.kind === 'ads' ? setup.settings : undefined;
  }

  statusOf(id: string): SourceStatus | undefined {
    return this.#entries.get(id)?.status;
  }

  /** `health`: what the state of the source means, as in "is paused". */
  healthOf(id: string): { readonly status: SourceStatus; readonly health: string } | undefined {
    const entry = this.#entries.get(id);
    return entry && { status: entry.status, health: entry.description.health[entry.status.state] };
  }

  setPaused(id: string, paused: boolean): Source | undefined {
    const entry = this.#entries.get(id);
    if (entry === undefined) return undefined;
    if (paused) entry.running.pause();
    else entry.running.resume();
    this.publish(id, entry.running.status);
    return this.#show(entry);
  }

  /** The target of the source answers as a source of another kind. */
  setServedKind(id: string, kind: RequestedKind): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    entry.servedKind = kind;
    this.#options.onChange(entry.description, entry.status, entry.status);
  }

  async remove(id: string): Promise<boolean> {
    const entry = this.#entries.get(id);
    if (entry === undefined) return false;
    this.#entries.delete(id);
    this.#count(entry, -1);
    // Called before close(), because the same source may be added again before this one has closed.
    this.#options.onRemoved(entry.description, entry.status);
    await entry.running.close();
    return true;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#entries.values()].map(({ running }) => running.close()));
  }

  /** Publishes a new status of the source. A status of an unknown source is ignored. */
  publish(id: string, status: SourceStatus): void {
    const entry = this.#entries.get(id);
    if (entry !== undefined) this.#update(entry, status);
  }

  /** Ignores the status of a source that was replaced or removed. */
  #update(entry: Entry, status: SourceStatus): void {
    if (this.#entries.get(entry.description.id) !== entry) return;
    const before = entry.status;
    this.#setStatus(entry, status);
    this.#options.onChange(entry.description, before, status);
  }

  #setStatus(entry: Entry, status: SourceStatus): void {
    if (entry.status.state === status.state) {
      entry.status = status;
      return;
    }
    this.#count(entry, -1);
    entry.status = status;
    this.#count(entry, 1);
  }

  #count({ description: { listId }, status: { state } }: Entry, by: 1 | -1): void {
    const states = this.#states.get(listId ?? '') ?? { connecting: 0, up: 0, down: 0, paused: 0 };
    states[state] += by;
    this.#states.set(listId ?? '', states);
  }

  #show(entry: Entry): Source {
    const { description } = entry;
    const { notAdmitted = 0 } = entry.status;
    const source = buildSource(entry, this.#options.findClientLimit?.(description.id, notAdmitted));
    if (description.setup === undefined || !('member' in description.setup)) return source;
    const states = this.#states.get(description.id) ?? { connecting: 0, up: 0, down: 0, paused: 0 };
    const total = states.connecting + states.up + states.down + states.paused;
    return { ...source, members: { ...states, total } };
  }
}

function formatCost(
  cost: SourceCost,
  { targetMemory: memory, targetCpu: cpu }: SourceStatus,
): SourceCostShown {
  const process = { ...(memory !== undefined && { memory }), ...(cpu !== undefined && { cpu }) };
  return { ...cost, slowed: [...cost.slowed], ...process };
}

/** The kind that the target serves says more than the advice for a failed call. */
function problemOf({
  status: { problem },
  servedKind,
}: Pick<Entry, 'status' | 'servedKind'>): Source['problem'] {
  const shown = redactMessages(problem) ?? undefined;
  if (shown === undefined || servedKind === undefined) return shown;
  return { ...shown, hint: `The target answers as ${formOf(servedKind).target}: add a source of that kind.` };
}

function buildSource(
  { description: { setup, notices, health, ...shown }, status, servedKind }: Entry,
  clientLimit: ClientLimitNotice | undefined,
): Source {
  return {
    ...shown,
    paused: status.state === 'paused',
    state: status.state,
    health: health[status.state],
    problem: problemOf({ status, servedKind }),
    ...(status.state === 'down' && servedKind !== undefined && { servedKind }),
    notes: [
      ...notices,
      ...(clientLimit === undefined ? [] : [describeClientLimit(clientLimit)]),
      ...status.notes,
    ].map(redactMessage),
    lastAttemptAt: status.lastAttemptAt,
    lastSuccessAt: status.lastSuccessAt,
    lastChangedAt: status.lastChangedAt,
    answerBytes: status.answerBytes,
    answers: status.answers,
    failures: status.failures,
    latencyMs: status.latencyMs,
    intervalMs: status.intervalMs,
    ...(status.cost !== undefined && { cost: formatCost(status.cost, status) }),
    clients: status.clients.size,
    ...(clientLimit !== undefined && { clientLimit }),
    ...(setup?.kind === 'tap' &&
      status.tap !== undefined && {
        tap: {
          ...status.tap,
          listenSecurity: listenSecurityOf(setup.settings.listenTls),
          upstreamSecurity: securityOf(setup.settings.upstreamTls),
        },
      }),
  };
}

/** The address at which a client on this machine reaches a port that listens on all interfaces. */
function onThisMachine(address: string): string {
  return address.replace(/^(?:0\.0\.0\.0|\[::\])(?=:)/, '127.0.0.1');
}
