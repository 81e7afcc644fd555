import type { ResourceChanges, ResourceKey } from '@/lib/observation/resource-state';
import { findResourceType } from '@/lib/xds/resource-type';
import type { Clock } from '../../../observe';
import { type ErrorPolicy, resourceTimeoutMs } from '../stream/error-policy';
import { ResourceCache } from './resource-cache';
import { ResourceTimers } from './resource-timers';
import type { ResponseUpdate } from './response-update';

interface AuthorityTypeOptions {
  readonly typeUrl: string;
  readonly wildcard: boolean;
  readonly clock: Clock;
  readonly isOurs: (name: string) => boolean;
  /** The policy of the active server. */
  readonly policy: () => ErrorPolicy;
  readonly onLinks: (key: ResourceKey, follows: readonly ResourceKey[] | null) => void;
  readonly onExpired: (timer: 'resource' | 'ttl', changes: ResourceChanges) => void;
}

/** One type of one authority: its cache and its timers. */
export class AuthorityType {
  readonly #options: AuthorityTypeOptions;
  readonly cache: ResourceCache;
  readonly wildcard: boolean;
  isAnswered = false;
  /** gRFC A57: started when the names are sent on a connected stream, stopped with the stream. */
  readonly #timers: ResourceTimers;
  /** Times to live. They continue while there is no stream. */
  readonly #ttls: ResourceTimers;
  /** Times to live of held resources by name. After a pause, start() restarts each of them. */
  readonly #ttlMsByName = new Map<string, number>();

  constructor(options: AuthorityTypeOptions) {
    this.#options = options;
    const { typeUrl, wildcard, clock, isOurs, policy, onLinks, onExpired } = options;
    this.wildcard = wildcard;
    this.cache = new ResourceCache({
      absenceDeletes: findResourceType(typeUrl)?.absenceDeletes ?? false,
      typeUrl,
      wildcard,
      isOurs,
      onLinks: (name, follows) => onLinks({ typeUrl, name }, follows),
    });
    this.#timers = new ResourceTimers(clock, (names) => {
      const changed = this.cache.timeOut(names, resourceTimeoutMs(policy()), clock.now(), policy());
      if (changed.length > 0) onExpired('resource', { changed, removed: [] });
    });
    this.#ttls = new ResourceTimers(clock, (names) => {
      this.#forgetTtls(names);
      onExpired('ttl', this.cache.expire(names, clock.now()));
    });
  }

  get isWanted(): boolean {
    return this.wildcard || this.cache.names.size > 0;
  }

  /** gRFC A71: states whether a wanted resource is unknown. One that does not exist is known. */
  get hasUnknown(): boolean {
    return this.cache.unknownNames.size > 0 || (this.wildcard && !this.isAnswered);
  }

  /** False if a held resource has a time to live, which repeated responses would renew. */
  get hasNoTtl(): boolean {
    return this.#ttls.isIdle;
  }

  unwant(names: readonly string[]): ResourceChanges {
    this.#timers.cancel(names);
    this.#forgetTtls(names);
    return this.cache.unwant(names);
  }

  apply(news: ResponseUpdate): ResourceChanges {
    this.isAnswered = true;
    if (!this.#timers.isIdle) {
      for (const resource of news.resources) {
        if (resource.kind !== 'heartbeat') this.#timers.cancel(this.cache.rowsOf(resource));
      }
      this.#timers.cancel(news.errors.map(({ name }) => name));
      this.#timers.cancel(news.removed);
    }
    const changes = this.cache.apply(news, this.#options.clock.now());
    this.#renew(news);
    return changes;
  }

  startTimers(): void {
    this.#timers.start(this.cache.unknownNames, resourceTimeoutMs(this.#options.policy()));
  }

  stopTimers(): void {
    this.#timers.stopAll();
  }

  start(): void {
    for (const ttlMs of new Set(this.#ttlMsByName.values())) {
      const names = [...this.#ttlMsByName].flatMap(([name, each]) => (each === ttlMs ? name : []));
      this.#ttls.start(names, ttlMs);
    }
  }

  stop(): void {
    this.#timers.stopAll();
    this.#ttls.stopAll();
  }

  /** xDS: an update with a time to live renews it, one without ends it; a heartbeat renews the one of its version. */
  #renew({ resources, hasTtls }: ResponseUpdate): void {
    if (this.#ttls.isIdle && hasTtls !== true) return;
    const renewed = new Map<number, string[]>();
    for (const resource of resources) {
      if (resource.kind === 'rejected') continue;
      const { ttlMs, version } = resource;
      for (const row of this.cache.rowsOf(resource)) {
        const held = this.cache.findRow(row);
        if (held === undefined || held.digest === null) continue;
        if (resource.kind === 'heartbeat' && version !== '' && held.version !== version) continue;
        const sameTtl = ttlMs === null ? undefined : renewed.get(ttlMs);
        if (sameTtl !== undefined) sameTtl.push(row);
        else if (ttlMs !== null) renewed.set(ttlMs, [row]);
        else if (resource.kind !== 'heartbeat') this.#forgetTtls([row]);
      }
    }
    for (const [ttlMs, names] of renewed) {
      this.#ttls.renew(names, ttlMs);
      for (const name of names) this.#ttlMsByName.set(name, ttlMs);
    }
  }

  #forgetTtls(names: readonly string[]): void {
    this.#ttls.cancel(names);
    for (const name of names) this.#ttlMsByName.delete(name);
  }
}
