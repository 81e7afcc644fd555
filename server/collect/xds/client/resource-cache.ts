import type { ResourceChanges, ResourceKey, ResourceState } from '@/lib/observation/resource-state';
import type { EpochMs } from '@/lib/xds/units';
import type { CachedResource, RepeatableResource } from '../response/cached-resource';
import { ignoresAbsence, isDeletionKnown, isRepeatable, nothingHeld } from '../response/cached-resource';
import type { ReadResource } from '../response/read-resource';
import type { ErrorPolicy } from '../stream/error-policy';
import {
  deleted,
  doesNotExist,
  reachable,
  receivedError,
  requested,
  timedOut,
  unreachable,
} from './resource-state';
import { entryOfNew, type ResponseUpdate, updateOf } from './response-update';

interface ResourceCacheOptions {
  readonly typeUrl: string;
  /** True for LDS and CDS, whose state-of-the-world responses are complete, so that absence deletes. */
  readonly absenceDeletes: boolean;
  readonly wildcard: boolean;
  readonly isOurs: (name: string) => boolean;
  /** Called with the references of the resource in effect, or with null when its row is removed. */
  readonly onLinks: (name: string, follows: readonly ResourceKey[] | null) => void;
}

const noNames: readonly string[] = [];

/** The resources of one type of one authority. They outlive streams. */
export class ResourceCache {
  readonly #options: ResourceCacheOptions;
  readonly #entries = new Map<string, CachedResource>();
  /** The names that are subscribed to. Copied before a change if takeNames() has shared it. */
  #names = new Set<string>();
  #isShared = false;
  readonly #unknownNames = new Set<string>();
  readonly #aliases = new AliasRows();
  readonly #touched = new TouchedRows();
  /** The rows whose state reports that no server can be reached. */
  readonly #unreachable = new Set<string>();

  constructor(options: ResourceCacheOptions) {
    this.#options = options;
  }

  find(name: string): CachedResource | undefined {
    const entry = this.#entries.get(name);
    if (entry !== undefined || this.#aliases.isEmpty) return entry;
    const [alias] = this.#aliases.of(name);
    return alias === undefined ? undefined : this.#entries.get(alias);
  }

  /** Finds a resource that the same bytes from the same server, in state of the world, do not change. */
  findRepeatable(name: string, server: string): RepeatableResource | undefined {
    const entry = this.#entries.get(name);
    if (entry === undefined || entry.server !== server || !isRepeatable(entry)) return undefined;
    return this.#aliases.has(name) ? undefined : entry;
  }

  /** Returns the rows that have changed since the last call of this reader, or null if that is unknown. */
  takeTouched(reader: object): Iterable<string> | null {
    return this.#touched.take(reader);
  }

  findRow(name: string): CachedResource | undefined {
    return this.#entries.get(name);
  }

  get names(): ReadonlySet<string> {
    return this.#names;
  }

  /** Returns the names as a set that does not change later. */
  takeNames(): ReadonlySet<string> {
    this.#isShared = true;
    return this.#names;
  }

  #ownNames(): Set<string> {
    if (this.#isShared) this.#names = new Set(this.#names);
    this.#isShared = false;
    return this.#names;
  }

  /** The names that are subscribed to and for which no server has sent a resource or an error. */
  get unknownNames(): ReadonlySet<string> {
    return this.#unknownNames;
  }

  /** Yields the resources that this server sent, with its names and versions. */
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
      // There are no references to report, because no resource was held.
      this.#entries.set(name, { ...nothingHeld, state });
      this.#touched.add(name);
      this.#unknownNames.add(name);
      changed.push(state);
    }
    return { changed, removed: [] };
  }

  /** Removes the rows of names that are no longer wanted. This is not a deletion by the server. */
  unwant(names: Iterable<string>): ResourceChanges {
    const removed: ResourceKey[] = [];
    const own = this.#ownNames();
    for (const name of names) {
      if (own.delete(name) && !this.#covers(name)) removed.push(this.#remove(name));
    }
    return { changed: [], removed };
  }

  /**
   * Applies a response. Resources that were not requested are ignored, not rejected, because servers send all listeners and
   * clusters (gRFC A27). As in grpc-js and C-core, unchanged bytes keep the version with which they first came; otherwise
   * every push to a large mesh would change every row.
   */
  apply(news: ResponseUpdate, at: EpochMs): ResourceChanges {
    const changed: ResourceState[] = [];
    const removed: ResourceKey[] = [];
    const absenceDeletes = this.#options.absenceDeletes && !news.isDelta && this.#entries.size > 0;
    const present = new Set<string>();
    // If false, a row may be changed more than once, and only its last state counts.
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
      // An error lasts until its resource arrives (TP3). Under a wildcard, errors of unknown names would accumulate.
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
      // The two sets are disjoint, so that equal sizes mean that nothing is missing.
      const isWhole = this.#aliases.isEmpty && present.size + (repeats?.count ?? 0) === this.#entries.size;
      for (const [name, { state }] of isWhole ? [] : this.#entries) {
        if (present.has(name) || repeats?.has(name) === true || ignoresAbsence(state)) continue;
        this.#drop(name, news.policy, at, changed, removed);
      }
    }
    return isEachOnce ? { changed, removed } : lastOf(changed, removed);
  }

  /** Returns the rows of a resource: its name and aliases, as far as they are subscribed to. */
  rowsOf(resource: ReadResource): readonly string[] {
    const { name } = resource;
    const aliases = 'aliases' in resource ? resource.aliases : noNames;
    const own = this.#covers(name) ? [name] : noNames;
    if (this.#isOneRow(resource)) return own;
    for (const alias of aliases) if (this.#names.has(alias)) this.#aliases.add(name, alias);
    return [...own, ...this.#aliases.of(name)];
  }

  #isOneRow(resource: ReadResource): boolean {
    const isAlone = !('aliases' in resource) || resource.aliases.length === 0;
    return isAlone && (this.#aliases.isEmpty || !this.#aliases.has(resource.name));
  }

  /** Applies a resource to one row, and adds its state to `changed`. */
  #applyTo(
    name: string,
    resource: ReadResource,
    news: ResponseUpdate,
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

  /** Must be called when the resource timer of these names has expired. */
  timeOut(names: Iterable<string>, waitedMs: number, at: EpochMs, policy: ErrorPolicy): ResourceState[] {
    const timed: ResourceState[] = [];
    for (const name of names) {
      if (!this.#unknownNames.has(name)) continue;
      const state = timedOut(this.#key(name), waitedMs, at, policy);
      timed.push(this.#put({ ...nothingHeld, state }, []));
    }
    return timed;
  }

  /** Removes resources whose time to live has expired, as if the server had removed them. */
  expire(names: Iterable<string>, at: EpochMs): ResourceChanges {
    const changed: ResourceState[] = [];
    const removed: ResourceKey[] = [];
    for (const name of names) {
      if (this.#entries.get(name)?.digest == null) continue;
      if (!this.#names.has(name)) {
        removed.push(this.#remove(name));
        continue;
      }
      const state = doesNotExist(this.#key(name), at, 'its time to live expired without a renewal');
      changed.push(this.#put({ ...nothingHeld, state }, []));
    }
    return { changed, removed };
  }

  /** Adds a name that no server serves. */
  rejectName(name: string, details: string, at: EpochMs): ResourceState {
    this.#ownNames().add(name);
    return this.#put({ ...nothingHeld, state: doesNotExist(this.#key(name), at, details) }, []);
  }

  /** Must be called when no server can be reached. With gRFC A88 every row reports it, otherwise the unknown names. */
  markUnreachable(details: string, at: EpochMs, policy: ErrorPolicy): ResourceState[] {
    const changed: ResourceState[] = [];
    const names = policy.model === 'a88' ? this.#entries.keys() : this.#unknownNames;
    for (const name of [...names]) {
      const entry = this.#entryOf(name, at);
      const state = unreachable(entry.state, details, at, policy);
      if (state === entry.state) continue;
      changed.push(this.#put({ ...entry, state }));
      this.#unreachable.add(name);
    }
    return changed;
  }

  clearUnreachable(at: EpochMs): ResourceState[] {
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
    return this.#names.has(name) || (this.#options.wildcard && this.#options.isOurs(name));
  }

  /**
   * Applies a deletion by the server. A name that is subscribed to remains as a row that does not exist; the row of a
   * wildcard resource is removed. Adds the rows to `changed` or `removed`.
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
    return { typeUrl: this.#options.typeUrl, name };
  }

  #entryOf(name: string, at: EpochMs): CachedResource {
    return this.#entries.get(name) ?? { ...nothingHeld, state: requested(this.#key(name), at) };
  }

  /** Without `follows`, the references stay unchanged while a body is in effect. */
  #put(entry: CachedResource, follows?: readonly ResourceKey[]): ResourceState {
    const { state } = entry;
    const isHeld = state.hash !== null;
    const before = this.#entries.get(state.name);
    const isNewRow = before === undefined;
    const wasHeld = before?.digest != null;
    this.#touched.add(state.name);
    this.#entries.set(state.name, isHeld || entry.digest === null ? entry : { ...nothingHeld, state });
    if (state.clientStatus === 'REQUESTED') this.#unknownNames.add(state.name);
    else if (this.#unknownNames.size > 0) this.#unknownNames.delete(state.name);
    if (isHeld && follows !== undefined) {
      // A subscribed row had no references before, so that none need to be reported (100,000 endpoints).
      if (isNewRow || wasHeld || follows.length > 0) this.#options.onLinks(state.name, follows);
    } else if (isNewRow || (wasHeld && !isHeld)) this.#options.onLinks(state.name, []);
    return state;
  }

  #remove(name: string): ResourceKey {
    this.#entries.delete(name);
    this.#touched.add(name);
    this.#unknownNames.delete(name);
    this.#aliases.forget(name);
    this.#options.onLinks(name, null);
    return this.#key(name);
  }
}

/** Keeps the last state of each row. */
function lastOf(changed: readonly ResourceState[], removed: readonly ResourceKey[]): ResourceChanges {
  const states = new Map(changed.map((state) => [state.name, state]));
  const keys = new Map(removed.flatMap((key) => (states.has(key.name) ? [] : [[key.name, key]])));
  return { changed: [...states.values()], removed: [...keys.values()] };
}

const none: ReadonlySet<string> = new Set();

/** Maps resources to the subscriptions by alias (Resource.aliases) that they satisfy. */
class AliasRows {
  readonly #byName = new Map<string, Set<string>>();
  readonly #nameOf = new Map<string, string>();

  get isEmpty(): boolean {
    return this.#byName.size === 0;
  }

  has(name: string): boolean {
    return this.#byName.has(name);
  }

  of(name: string): ReadonlySet<string> {
    return this.#byName.get(name) ?? none;
  }

  add(name: string, alias: string): void {
    if (alias === name || this.#nameOf.get(alias) === name) return;
    this.forget(alias);
    this.#nameOf.set(alias, name);
    this.#byName.set(name, new Set(this.of(name)).add(alias));
  }

  forget(alias: string): void {
    const name = this.#nameOf.get(alias);
    if (name === undefined) return;
    this.#nameOf.delete(alias);
    const left = new Set(this.of(name));
    left.delete(alias);
    if (left.size === 0) this.#byName.delete(name);
    else this.#byName.set(name, left);
  }
}

const namesKept = 1_000;

/** The names of changed rows, for one reader at a time. */
class TouchedRows {
  readonly #names = new Set<string>();
  /** More than `namesKept` rows have changed, so no list is kept. */
  #isAll = true;
  /** The reader of the last take(); another reader has read no row yet. */
  #reader: WeakRef<object> | undefined;

  add(name: string): void {
    if (this.#isAll) return;
    this.#names.add(name);
    this.#isAll = this.#names.size > namesKept;
  }

  /** Returns null if any row may have changed. */
  take(reader: object): readonly string[] | null {
    const isKnown = !this.#isAll && this.#reader?.deref() === reader;
    const names = isKnown ? [...this.#names] : null;
    this.#names.clear();
    this.#isAll = false;
    this.#reader = new WeakRef(reader);
    return names;
  }
}
