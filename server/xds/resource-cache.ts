import type { ResourceChanges, ResourceKey, ResourceState } from '@/lib/observation/observation';
import type { EpochMs } from '@/lib/xds/units';
import { accepted, doesNotExist, refused, requested } from './resource-state';
import type { Subscription } from './xds-channel';

/** One resource of a response, after reading. */
export type ReadResource =
  /** Its bytes are those that we hold (or it was a heartbeat). */
  | { readonly kind: 'unchanged'; readonly name: string }
  | {
      readonly kind: 'new';
      readonly name: string;
      readonly bytes: Uint8Array;
      readonly hash: string;
      readonly sizeBytes: number;
      readonly follows: readonly ResourceKey[];
    }
  | {
      readonly kind: 'refused';
      readonly name: string;
      readonly reason: string;
      readonly failedHash: string | null;
    };

export interface CachedResource {
  readonly state: ResourceState;
  /** As they came, to compare with the next ones; null until something was accepted. */
  readonly bytes: Uint8Array | null;
  /** What the accepted body refers to. */
  readonly follows: readonly ResourceKey[];
}

/** What our client holds of one type. Survives streams. */
export class ResourceCache {
  readonly #entries = new Map<string, CachedResource>();
  /** Moves when a resource begins or ceases to refer to others: the subscriptions must be worked out anew. */
  linksRevision = 0;

  constructor(
    private readonly typeUrl: string,
    /** Only LDS and CDS: a response is the whole truth, and absence deletes. */
    private readonly absenceDeletes: boolean,
  ) {}

  find(name: string): CachedResource | undefined {
    return this.#entries.get(name);
  }

  names(): IterableIterator<string> {
    return this.#entries.keys();
  }

  /** Names that were asked for and of which nothing was ever heard. */
  unheardOf(): string[] {
    return [...this.#entries.values()]
      .filter(({ state }) => state.clientStatus === 'REQUESTED')
      .map(({ state }) => state.name);
  }

  /** The subscription changed: new names become REQUESTED, names that nobody wants any more go. */
  want(subscription: Subscription, at: EpochMs): ResourceChanges {
    const changed: ResourceState[] = [];
    for (const name of subscription.names) {
      if (this.#entries.has(name)) continue;
      changed.push(this.#put(requested(this.#key(name), at), null, []));
    }
    const removed: ResourceKey[] = [];
    if (!subscription.wildcard) {
      for (const name of this.#entries.keys()) {
        if (!subscription.names.has(name)) removed.push(this.#remove(name));
      }
    }
    return { changed, removed };
  }

  /**
   * A response, read. What was not asked for is left out, not refused: servers of LDS and CDS send everything
   * (gRFC A27). A resource whose bytes did not change keeps the version under which they came, as grpc-js and
   * C-core have it: else every push to a large mesh would change every row.
   */
  apply(
    read: readonly ReadResource[],
    versionInfo: string,
    subscription: Subscription,
    at: EpochMs,
  ): ResourceChanges {
    const changed: ResourceState[] = [];
    const present = new Set<string>();
    for (const resource of read) {
      present.add(resource.name);
      if (!subscription.wildcard && !subscription.names.has(resource.name)) continue;
      const state = this.#applyOne(resource, versionInfo, at);
      if (state !== undefined) changed.push(state);
    }
    if (!this.absenceDeletes) return { changed, removed: [] };
    const removed = this.#applyAbsence(present, subscription, at, changed);
    return { changed, removed };
  }

  /** The resource timer ran out for these names. */
  expire(names: Iterable<string>, at: EpochMs): ResourceState[] {
    const expired: ResourceState[] = [];
    for (const name of names) {
      if (this.#entries.get(name)?.state.clientStatus !== 'REQUESTED') continue;
      expired.push(this.#put(doesNotExist(this.#key(name), at), null, []));
    }
    return expired;
  }

  #applyOne(resource: ReadResource, versionInfo: string, at: EpochMs): ResourceState | undefined {
    const known = this.#entries.get(resource.name);
    const key = this.#key(resource.name);
    switch (resource.kind) {
      case 'unchanged': {
        // After a NACK the good bytes may simply be sent again.
        if (known === undefined || known.state.clientStatus === 'ACKED') return undefined;
        const { hash, sizeBytes } = known.state;
        if (hash === null || sizeBytes === null) return undefined;
        return this.#put(accepted(key, { versionInfo, hash, sizeBytes }, at), known.bytes, known.follows);
      }
      case 'new': {
        const { hash, sizeBytes, bytes, follows } = resource;
        return this.#put(accepted(key, { versionInfo, hash, sizeBytes }, at), bytes, follows);
      }
      case 'refused': {
        const refusal = { reason: resource.reason, versionInfo, failedHash: resource.failedHash };
        const state = refused(known?.state ?? requested(key, at), refusal, at);
        return this.#put(state, known?.bytes ?? null, known?.follows ?? []);
      }
    }
  }

  /**
   * A name that is subscribed to and was there before does not exist any more; one that only the wildcard brought is
   * gone without a trace. One that was never heard of waits for its timer: the response may be older than the request.
   * MUTATES `changed`.
   */
  #applyAbsence(
    present: ReadonlySet<string>,
    subscription: Subscription,
    at: EpochMs,
    changed: ResourceState[],
  ): ResourceKey[] {
    const removed: ResourceKey[] = [];
    for (const [name, { state }] of this.#entries) {
      if (present.has(name) || state.clientStatus === 'REQUESTED') continue;
      if (!subscription.names.has(name)) removed.push(this.#remove(name));
      else if (state.clientStatus !== 'DOES_NOT_EXIST') {
        changed.push(this.#put(doesNotExist(this.#key(name), at), null, []));
      }
    }
    return removed;
  }

  #key(name: string): ResourceKey {
    return { typeUrl: this.typeUrl, name };
  }

  #put(state: ResourceState, bytes: Uint8Array | null, follows: readonly ResourceKey[]): ResourceState {
    if (!isSameLinks(this.#entries.get(state.name)?.follows ?? [], follows)) this.linksRevision += 1;
    this.#entries.set(state.name, { state, bytes, follows });
    return state;
  }

  #remove(name: string): ResourceKey {
    if ((this.#entries.get(name)?.follows.length ?? 0) > 0) this.linksRevision += 1;
    this.#entries.delete(name);
    return this.#key(name);
  }
}

function isSameLinks(a: readonly ResourceKey[], b: readonly ResourceKey[]): boolean {
  return (
    a.length === b.length &&
    a.every((link, index) => link.typeUrl === b[index]?.typeUrl && link.name === b[index]?.name)
  );
}
