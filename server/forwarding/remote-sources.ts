import type { Problem } from '@/lib/observation/observation';
import type { Clock } from '../observe';
import { initialSourceStatus, type SourceStatus } from '../source-status';
import { findKind } from '../sources/source-kinds';
import type { SourceDescription, SourceRegistry, StartSource } from '../sources/source-registry';
import type { StateStore } from '../store/state';
import { RepeatedWork } from './repeated-work';
import { type SharedSource, sharedClients, sharedSources, statusOfShared } from './shared-status';
import { clientsPrefix, collectorPrefix, collectorSchema, sourcesPrefix } from './source-reporter';

interface RemoteSourcesParts {
  readonly clock: Clock;
  readonly state: StateStore;
  readonly registry: Pick<SourceRegistry, 'add' | 'remove' | 'has' | 'publish'>;
}

interface KnownCollector {
  readonly version: number;
  /** When this version was first read here: the clocks of two machines differ. */
  readonly readAt: number;
  readonly revision: number;
  readonly isSilent: boolean;
  readonly sources: readonly SharedSource[];
  readonly clientsRevision: number;
  readonly clients: ReadonlyMap<string, readonly string[]>;
}

const pollMs = 1_000;
/** A collector that has not reported for so long has ended, or cannot reach the store. */
const silentMs = 12_000;

/** Lists the sources of all collectors of a shared store as sources of this process, with the statuses that they report. */
export class RemoteSources {
  readonly #parts: RemoteSourcesParts;
  readonly #work: RepeatedWork;
  readonly #collectors = new Map<string, KnownCollector>();
  /** The collector whose source is listed, by the id of the source. */
  readonly #owners = new Map<string, string>();

  constructor(parts: RemoteSourcesParts) {
    this.#parts = parts;
    this.#work = new RepeatedWork({
      ...{ clock: parts.clock, everyMs: pollMs, failure: 'the sources of the collectors are not read' },
      work: () => this.#read(),
    });
  }

  /** Resolves when the sources are listed once. */
  async start(): Promise<void> {
    await this.#read();
    this.#work.start();
  }

  /** The state of the store has changed. */
  wake(): void {
    this.#work.wake();
  }

  close(): Promise<void> {
    return this.#work.close();
  }

  async #read(): Promise<void> {
    const { state, clock } = this.#parts;
    for (const { key: id, value, version } of await state.list(collectorPrefix, collectorSchema)) {
      const before = this.#collectors.get(id);
      const now = clock.now();
      const readAt = before?.version === version ? before.readAt : now;
      const isSilent = now - readAt >= silentMs;
      const { name, revision, clientsRevision } = value;
      const sources =
        before?.revision === revision
          ? before.sources
          : ((await state.get(`${sourcesPrefix}${id}`, sharedSources))?.value ?? []);
      const clients =
        before?.clientsRevision === clientsRevision
          ? before.clients
          : new Map((await state.get(`${clientsPrefix}${id}`, sharedClients))?.value);
      const known = { version, readAt, isSilent, revision, sources, clientsRevision, clients };
      this.#collectors.set(id, known);
      const isSame = before?.sources === sources && before.clients === clients;
      if (isSame && isSilent === before.isSilent) continue;
      await this.#show(id, known, isSilent ? silenceOf(name) : undefined);
    }
  }

  async #show(
    collector: string,
    { sources, clients }: KnownCollector,
    silence: Problem | undefined,
  ): Promise<void> {
    const { registry } = this.#parts;
    const named = new Set(sources.map(({ id }) => id));
    for (const [id, owner] of this.#owners) {
      if (owner !== collector || named.has(id)) continue;
      this.#owners.delete(id);
      await registry.remove(id);
    }
    for (const source of sources) {
      const status = statusOfShared(source, clients.get(source.id) ?? [], silence);
      // The collector that observes it knows more than one that waits for it.
      if (status.isStandby !== true && silence === undefined && this.#owners.has(source.id))
        this.#owners.set(source.id, collector);
      if (!this.#owners.has(source.id) && !registry.has(source.id)) {
        this.#owners.set(source.id, collector);
        registry.add(describeShared(source), startRemote());
      }
      if (this.#owners.get(source.id) === collector) registry.publish(source.id, status);
    }
  }
}

function silenceOf(name: string): Problem {
  return {
    code: 'COLLECTOR_SILENT',
    message: `collector ${name} has not reported for ${silentMs / 1000} s`,
    hint: 'Is the collector running, and can it reach the shared store?',
  };
}

function describeShared({
  id,
  kind,
  target,
  label,
  security,
  listId,
  notices,
}: SharedSource): SourceDescription {
  const { health } = findKind(kind);
  return { id, kind, target, label, listId, notices, health, origin: 'collector', security };
}

/** Its status is published as its collector reports it. */
function startRemote(): StartSource {
  return () => {
    const status: SourceStatus = initialSourceStatus;
    return { status, start() {}, pause() {}, resume() {}, close: () => Promise.resolve() };
  };
}
