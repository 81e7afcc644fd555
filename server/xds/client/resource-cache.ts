import type { ResourceChanges, ResourceKey, ResourceState } from '@/lib/observation/observation';
import type { EpochMs } from '@/lib/xds/units';
import {
  type CachedResource,
  isDeletionKnown,
  isSettled,
  nothingHeld,
  provesNothing,
  type SettledResource,
} from '../response/cached-resource';
import type { ReadResource } from '../response/read-resource';
import type { ErrorPolicy } from '../stream/error-policy';
import { AliasRows } from './alias-rows';
import {
  deleted,
  doesNotExist,
  reachable,
  receivedError,
  requested,
  timedOut,
  unreachable,
} from './resource-state';
import { entryOfNew, type ServerNews, updateOf } from './server-news';
import { TouchedRows } from './touched-rows';

export interface ResourceCacheOptions {
  readonly typeUrl: string;
  /** Only LDS and CDS, in state of the world: a response is complete, and absence deletes. */
  readonly absenceDeletes: boolean;
  /** Whatever a server offers is taken, if it is ours to take. */
  readonly wildcard: boolean;
  readonly isOurs: (name: string) => boolean;
  /** What the resource in use refers to; null when its row is gone. */
  readonly onLinks: (name: string, follows: readonly ResourceKey[] | null) => void;
}

const noNames: readonly string[] = [];

/** What our client holds of one type of one authority. Survives streams. */
export class ResourceCache {
  readonly #entries = new Map<string, CachedResource>();
  /** Subscribed to by name. Copied before it is changed when somebody else has it too. */
  #names = new Set<string>();
  #isShared = false;
  readonly #unheardOf = new Set<string>();
  readonly #aliases = new AliasRows();
  /** Rows that are not what they were when somebody last asked. */
  readonly #touched = new TouchedRows();
  /** Rows that say that no server can be reached. */
  readonly #unreachable = new Set<string>();

  constructor(private readonly options: ResourceCacheOptions) {}

  /** By the name that the server gave it. */
  find(name: string): CachedResource | undefined {
    const entry = this.#entries.get(name);
    if (entry !== undefined || this.#aliases.isEmpty) return entry;
    const [alias] = this.#aliases.of(name);
    return alias === undefined ? undefined : this.#entries.get(alias);
  }

  /** What is in use under that name, where to get it again from that server in state of the world changes nothing. */
  findSettled(name: string, server: string): SettledResource | undefined {
    const entry = this.#entries.get(name);
    if (entry === undefined || entry.server !== server || !isSettled(entry)) return undefined;
    return this.#aliases.has(name) ? undefined : entry;
  }

  /** Rows that changed since `reader` asked the last time; null when that is not known. */
  takeTouched(reader: object): Iterable<string> | null {
    return this.#touched.take(reader);
  }

  /** By the name under which it was asked for. */
  findRow(name: string): CachedResource | undefined {
    return this.#entries.get(name);
  }

  /** Subscribed to by name, in the order of asking. */
  get names(): ReadonlySet<string> {
    return this.#names;
  }

  /** The same, as they are now: nothing that is done later changes them. */
  takeNames(): ReadonlySet<string> {
    this.#isShared = true;
    return this.#names;
  }

  #ownNames(): Set<string> {
    if (this.#isShared) this.#names = new Set(this.#names);
    this.#isShared = false;
    return this.#names;
  }

  /** Names that were asked for and of which nothing was ever heard. */
  get unheardOf(): ReadonlySet<string> {
    return this.#unheardOf;
  }

  /** What that server gave, under its name and version. */
  *versionsOf(server: string): Generator<readonly [name: string, version: string]> {
    for (const [name, entry] of this.#entries) {
      if (entry.server !== server || entry.digest === null) continue;
      yield [entry.state.canonicalName ?? name, entry.version];
    }
  }

  /** New names become REQUESTED. */
  want(names: Iterable<string>, at: EpochMs): ResourceChanges {
    const changed: ResourceState[] = [];
    const own = this.#ownNames();
    for (const name of names) {
      own.add(name);
      if (this.#entries.has(name)) continue;
      const state = requested(this.#key(name), at);
      // Nothing was held, and so nothing followed: there are no links to report.
      this.#entries.set(name, { ...nothingHeld, state });
      this.#touched.add(name);
      this.#unheardOf.add(name);
      changed.push(state);
    }
    return { changed, removed: [] };
  }

  /** Names that nobody wants any more go: unsubscribed, not deleted. */
  unwant(names: Iterable<string>): ResourceChanges {
    const removed: ResourceKey[] = [];
    const own = this.#ownNames();
    for (const name of names) {
      if (own.delete(name) && !this.#covers(name)) removed.push(this.#remove(name));
    }
    return { changed: [], removed };
  }

  /**
   * A response, read. What was not asked for is left out, not rejected: servers of LDS and CDS send everything
   * (gRFC A27). A resource whose bytes did not change keeps the version under which they came, as grpc-js and
   * C-core have it: else every push to a large mesh would change every row.
   */
  apply(news: ServerNews, at: EpochMs): ResourceChanges {
    const changed: ResourceState[] = [];
    const removed: ResourceKey[] = [];
    // Where there is nothing yet, nothing can be missing.
    const absenceDeletes = this.options.absenceDeletes && !news.isDelta && this.#entries.size > 0;
    const present = new Set<string>();
    // Each row is touched once at most, when it has one name and came in one way.
    let isEachOnce = news.hasCopies !== true && news.errors.length === 0 && news.removed.length === 0;
    for (const resource of news.resources) {
      if (this.#isOneRow(resource)) {
        const { name } = resource;
        if (!this.#covers(name)) continue;
        if (absenceDeletes) present.add(name);
        this.#applyTo(name, resource, news, at, changed);
        continue;
      }
      isEachOnce = false;
      for (const name of this.rowsOf(resource)) {
        if (absenceDeletes) present.add(name);
        this.#applyTo(name, resource, news, at, changed);
      }
    }
    for (const { name, ...error } of news.errors) {
      // Under a wildcard, only of what is there: an error stands until the resource comes (TP3), maybe for ever.
      if (!this.#names.has(name) && !this.#entries.has(name)) continue;
      present.add(name);
      const entry = this.#entryOf(name, at);
      changed.push(this.#put({ ...entry, state: receivedError(entry.state, error, at, news.policy) }));
    }
    for (const each of news.removed) {
      for (const name of [each, ...this.#aliases.of(each)])
        this.#drop(name, news.policy, at, changed, removed);
    }
    if (absenceDeletes && news.isBroken !== true) {
      const { repeats } = news;
      // Each name is either or: nothing is missing when they are as many as there are.
      const isWhole = this.#aliases.isEmpty && present.size + (repeats?.count ?? 0) === this.#entries.size;
      for (const [name, { state }] of isWhole ? [] : this.#entries) {
        if (present.has(name) || repeats?.has(name) === true || provesNothing(state)) continue;
        this.#drop(name, news.policy, at, changed, removed);
      }
    }
    return isEachOnce ? { changed, removed } : newestOf(changed, removed);
  }

  /** The rows that a resource is about: its own name and aliases, as far as they were asked for. */
  rowsOf(resource: ReadResource): readonly string[] {
    const { name } = resource;
    const reported = 'aliases' in resource ? resource.aliases : noNames;
    const own = this.#covers(name) ? [name] : noNames;
    if (this.#isOneRow(resource)) return own;
    for (const alias of reported) if (this.#names.has(alias)) this.#aliases.add(name, alias);
    return [...own, ...this.#aliases.of(name)];
  }

  /** Nothing has another name for it. */
  #isOneRow(resource: ReadResource): boolean {
    const isAlone = !('aliases' in resource) || resource.aliases.length === 0;
    return isAlone && (this.#aliases.isEmpty || !this.#aliases.has(resource.name));
  }

  /** What a resource makes of one row. MUTATES `changed`. */
  #applyTo(
    name: string,
    resource: ReadResource,
    news: ServerNews,
    at: EpochMs,
    changed: ResourceState[],
  ): void {
    if (resource.kind === 'new') {
      changed.push(this.#put(entryOfNew(resource, this.#key(name), news, at), resource.follows));
      return;
    }
    const update = updateOf(resource, this.#entryOf(name, at), news, at);
    if (update === undefined) return;
    const { entry, isNews } = update;
    if (isNews) changed.push(this.#put(entry));
    else {
      this.#entries.set(name, entry);
      this.#touched.add(name);
    }
  }

  /** The resource timer ran out for these names. */
  timeOut(names: Iterable<string>, waitedMs: number, at: EpochMs, policy: ErrorPolicy): ResourceState[] {
    const timed: ResourceState[] = [];
    for (const name of names) {
      if (!this.#unheardOf.has(name)) continue;
      const state = timedOut(this.#key(name), waitedMs, at, policy);
      timed.push(this.#put({ ...nothingHeld, state }, []));
    }
    return timed;
  }

  /** Nobody renewed them within their time to live: dropped, as if the server had removed them. */
  expire(names: Iterable<string>, at: EpochMs): ResourceChanges {
    const changed: ResourceState[] = [];
    const removed: ResourceKey[] = [];
    for (const name of names) {
      if (this.#entries.get(name)?.digest == null) continue;
      if (!this.#names.has(name)) {
        removed.push(this.#remove(name));
        continue;
      }
      const state = doesNotExist(this.#key(name), at, 'its time to live passed, and nobody renewed it');
      changed.push(this.#put({ ...nothingHeld, state }, []));
    }
    return { changed, removed };
  }

  /** A name that no server has to do with. */
  rejectName(name: string, details: string, at: EpochMs): ResourceState {
    this.#ownNames().add(name);
    return this.#put({ ...nothingHeld, state: doesNotExist(this.#key(name), at, details) }, []);
  }

  /** No server can be reached. Costs a look at each row where gRFC A88 wants it reported each. */
  loseServers(details: string, at: EpochMs, policy: ErrorPolicy): ResourceState[] {
    const changed: ResourceState[] = [];
    const names = policy.model === 'a88' ? this.#entries.keys() : this.#unheardOf;
    for (const name of [...names]) {
      const entry = this.#entryOf(name, at);
      const state = unreachable(entry.state, details, at, policy);
      if (state === entry.state) continue;
      changed.push(this.#put({ ...entry, state }));
      this.#unreachable.add(name);
    }
    return changed;
  }

  regainServers(at: EpochMs): ResourceState[] {
    const changed: ResourceState[] = [];
    for (const name of this.#unreachable) {
      const entry = this.#entries.get(name);
      const state = entry && reachable(entry.state, at);
      if (entry && state && state !== entry.state) changed.push(this.#put({ ...entry, state }));
    }
    this.#unreachable.clear();
    return changed;
  }

  #covers(name: string): boolean {
    return this.#names.has(name) || (this.options.wildcard && this.options.isOurs(name));
  }

  /**
   * The server has it no more. A name that is subscribed to has an end of its own; one that only the wildcard brought
   * is gone without a trace. MUTATES `changed` and `removed`.
   */
  #drop(
    name: string,
    policy: ErrorPolicy,
    at: EpochMs,
    changed: ResourceState[],
    removed: ResourceKey[],
  ): void {
    const entry = this.#entries.get(name);
    if (entry === undefined) return;
    if (!this.#names.has(name)) removed.push(this.#remove(name));
    else if (entry.state.clientStatus !== 'DOES_NOT_EXIST' && !isDeletionKnown(entry.state)) {
      changed.push(this.#put({ ...entry, state: deleted(entry.state, at, policy) }));
    }
  }

  #key(name: string): ResourceKey {
    return { typeUrl: this.options.typeUrl, name };
  }

  #entryOf(name: string, at: EpochMs): CachedResource {
    return this.#entries.get(name) ?? { ...nothingHeld, state: requested(this.#key(name), at) };
  }

  /** Where `follows` is not reported it stays as it is, as long as a body is in use. */
  #put(entry: CachedResource, follows?: readonly ResourceKey[]): ResourceState {
    const { state } = entry;
    const isHeld = state.hash !== null;
    const before = this.#entries.get(state.name);
    const isNewRow = before === undefined;
    const wasHeld = before?.digest != null;
    this.#touched.add(state.name);
    this.#entries.set(state.name, isHeld || entry.digest === null ? entry : { ...nothingHeld, state });
    if (state.clientStatus === 'REQUESTED') this.#unheardOf.add(state.name);
    else if (this.#unheardOf.size > 0) this.#unheardOf.delete(state.name);
    if (isHeld && follows !== undefined) {
      // A row that was asked for and led nowhere yet, as of 100,000 endpoints, leads nowhere now.
      if (isNewRow || wasHeld || follows.length > 0) this.options.onLinks(state.name, follows);
    } else if (isNewRow || (wasHeld && !isHeld)) this.options.onLinks(state.name, []);
    return state;
  }

  #remove(name: string): ResourceKey {
    this.#entries.delete(name);
    this.#touched.add(name);
    this.#unheardOf.delete(name);
    this.#aliases.forget(name);
    this.options.onLinks(name, null);
    return this.#key(name);
  }
}

/** Each row once, with the newest word on it. */
function newestOf(changed: readonly ResourceState[], removed: readonly ResourceKey[]): ResourceChanges {
  const states = new Map(changed.map((state) => [state.name, state]));
  const gone = new Map(removed.flatMap((key) => (states.has(key.name) ? [] : [[key.name, key]])));
  return { changed: [...states.values()], removed: [...gone.values()] };
}
