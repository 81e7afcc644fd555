import { isAckOfRejected } from '@/lib/observation/effect-stage';
import type { ResourceChanges, ResourceKey, ResourceState } from '@/lib/observation/resource-state';
import type { EpochMs } from '@/lib/xds/units';
import { accepted, doesNotExist, rejected, requested } from '../../xds/client/resource-state';
import type { PassedResource } from './resource-reader';

/** Limits the rows of one client, because a client may send any number of names. Further rows are ignored. */
export const maxRowsOfClient = 300_000;

/** The error model before gRFC A88, as in all clients today: an accepted resource remains in effect. */
const policy = {
  model: 'pre-a88',
  ignoreResourceDeletion: false,
  failOnDataErrors: false,
  timerIsTransient: false,
} as const;

/** What a rejection means for the resource, beside that its payload is not in effect. */
export interface RejectionEffect {
  /** As in ErrorState. */
  readonly mayBeInEffect?: boolean;
  /** The client has deleted what it had accepted before. */
  readonly isDropped?: boolean;
}

export interface Acceptance {
  readonly versionInfo: string;
  readonly at: EpochMs;
}

/** Collects changes of rows. The last change of a row replaces earlier ones. */
export class RowChanges {
  readonly #changed = new Map<string, ResourceState>();
  readonly #removed = new Map<string, ResourceKey>();

  put(row: ResourceState): void {
    this.#removed.delete(row.name);
    this.#changed.set(row.name, row);
  }

  remove(key: ResourceKey): void {
    this.#changed.delete(key.name);
    this.#removed.set(key.name, key);
  }

  done(): ResourceChanges {
    return { changed: [...this.#changed.values()], removed: [...this.#removed.values()] };
  }
}

/** The resources of one type that a client holds, according to its streams through the tap. */
export class TypeHoldings {
  readonly rows = new Map<string, ResourceState>();
  /** The rows before they were marked as unanswered; null: there was none. */
  readonly #answered = new Map<string, ResourceState | null>();
  /** The subscriptions of the open streams that have requested the type. */
  readonly #streams = new Set<Wants>();

  constructor(readonly typeUrl: string) {}

  addStream(wants: Wants): void {
    this.#streams.add(wants);
  }

  removeStream(wants: Wants): void {
    this.#streams.delete(wants);
  }

  /** Returns whether another stream of the client requests the type, so that this subscription is not complete. */
  isShared(wants: Wants): boolean {
    return this.#streams.size > (this.#streams.has(wants) ? 1 : 0);
  }

  isWanted(name: string): boolean {
    for (const wants of this.#streams) if (wants.wildcard || wants.names.has(name)) return true;
    return false;
  }

  /** Returns whether the stream with this subscription receives the resource, rather than another stream. */
  isOf(wants: Wants, name: string): boolean {
    return wants.names.has(name) || (wants.wildcard && !this.isNamed(name)) || !this.isWanted(name);
  }

  get hasAccepted(): boolean {
    for (const row of this.rows.values()) {
      const { clientStatus } = this.#answered.get(row.name) ?? row;
      if (clientStatus === 'ACKED') return true;
    }
    return false;
  }

  isNamed(name: string): boolean {
    for (const { names } of this.#streams) if (names.has(name)) return true;
    return false;
  }

  want(name: string, at: EpochMs, changes: RowChanges): void {
    if (this.rows.has(name) || this.rows.size >= maxRowsOfClient) return;
    this.#put(requested(this.#key(name), at), changes);
  }

  /** Adds a resource that the client held before it was recorded. */
  addHeld(name: string, versionInfo: string, at: EpochMs, changes: RowChanges): void {
    const known = this.rows.get(name);
    if (known !== undefined && known.hash !== null) return;
    this.#put({ ...requested(this.#key(name), at), clientStatus: 'UNKNOWN', versionInfo }, changes);
  }

  /** Removes a row unless a stream still requests it. */
  drop(name: string, changes: RowChanges): void {
    if (this.isWanted(name) || !this.rows.delete(name)) return;
    this.#answered.delete(name);
    changes.remove(this.#key(name));
  }

  clear(changes: RowChanges): void {
    for (const name of this.rows.keys()) changes.remove(this.#key(name));
    this.reset();
  }

  reset(): void {
    this.rows.clear();
    this.#answered.clear();
  }

  accept(
    { name, body, apiVersion, version }: PassedResource,
    { versionInfo, at }: Acceptance,
    changes: RowChanges,
  ): void {
    if (name === null || body === null || !this.isWanted(name)) return;
    const row = this.rows.get(name);
    if (row === undefined && this.rows.size >= maxRowsOfClient) return;
    // As in most clients, unchanged resources keep the version with which they first came.
    if (row !== undefined && row.clientStatus === 'ACKED' && row.hash === body.hash) return;
    const isRejected = row?.clientStatus === 'NACKED' && row.errorState?.failedHash === body.hash;
    const { hash } = body;
    const reported = {
      versionInfo: version === '' ? versionInfo : version,
      hash,
      sizeBytes: body.bytes.length,
    };
    const next = accepted(this.#key(name), apiVersion === 'v2' ? { ...reported, apiVersion } : reported, at);
    this.#put(isRejected && row.hash !== body.hash ? ackOfRejected(row, next) : next, changes);
  }

  reject(
    { name, body, version }: PassedResource,
    reason: string,
    { versionInfo, at }: Acceptance,
    changes: RowChanges,
    { mayBeInEffect = false, isDropped = false }: RejectionEffect = {},
  ): void {
    if (name === null || !this.isWanted(name)) return;
    const held = this.#answered.has(name) ? this.#answered.get(name) : this.rows.get(name);
    const row = beforeAck(isDropped || held == null ? requested(this.#key(name), at) : held);
    // Clients reject an invalid resource again with each response that contains it. The row then remains unchanged.
    const known = row.clientStatus === 'NACKED' ? row.errorState : null;
    if (known !== null && known.failedHash === (body?.hash ?? null) && known.details === reason) {
      changes.put(row);
      return;
    }
    const rejection = {
      reason,
      versionInfo: version === '' ? versionInfo : version,
      failedHash: body?.hash ?? null,
      ...(mayBeInEffect && { mayBeInEffect }),
    };
    this.#put(rejected(row, rejection, at, policy), changes);
  }

  /** Marks a resource of a partly accepted response whose own acceptance is unknown. */
  markUnknown(
    { name, body }: PassedResource,
    details: string,
    { versionInfo, at }: Acceptance,
    changes: RowChanges,
  ): void {
    if (name === null || body === null || !this.isWanted(name)) return;
    const row = this.rows.get(name) ?? requested(this.#key(name), at);
    if (row.hash === body.hash) return;
    const mayBeInEffect = true;
    const errorState = {
      details,
      versionInfo,
      lastUpdateAttempt: at,
      failedHash: body.hash,
      mayBeInEffect,
    } as const;
    this.#put({ ...row, clientStatus: 'UNKNOWN', errorState, changedAt: at }, changes);
  }

  /** Marks a resource of a response that the client does not answer. */
  markUnanswered({ name, body }: PassedResource, { versionInfo, at }: Acceptance, changes: RowChanges): void {
    if (name === null || !this.isWanted(name)) return;
    const row = this.rows.get(name);
    if (row === undefined && this.rows.size >= maxRowsOfClient) return;
    const before = this.#answered.has(name) ? this.#answered.get(name) : row;
    const unanswered = { versionInfo, at, hash: body?.hash ?? null };
    const held = row ?? requested(this.#key(name), at);
    this.#put({ ...held, clientStatus: 'UNKNOWN', unanswered, changedAt: at }, changes);
    this.#answered.set(name, before ?? null);
  }

  /** Restores the row from before the response, which is answered now, or whose answer was missed. */
  clearUnanswered(name: string, at: EpochMs, changes: RowChanges): void {
    const before = this.#answered.get(name);
    if (before === undefined) return;
    this.#answered.delete(name);
    if (!this.rows.has(name)) return;
    if (before !== null) this.#put({ ...before, changedAt: at }, changes);
    else if (this.isNamed(name)) this.#put(requested(this.#key(name), at), changes);
    else {
      this.rows.delete(name);
      changes.remove(this.#key(name));
    }
  }

  /** Restores all rows: a response on a stream that ended is not answered any longer. */
  clearAllUnanswered(at: EpochMs, changes: RowChanges): void {
    for (const name of [...this.#answered.keys()]) this.clearUnanswered(name, at, changes);
  }

  /** Marks the rejected resources of a stream as unknown. */
  forgetRejections({ wildcard, names }: Wants, at: EpochMs, changes: RowChanges): void {
    const isForgotten = (row: ResourceState | null): row is ResourceState =>
      row?.clientStatus === 'NACKED' && (wildcard || names.has(row.name));
    for (const [name, before] of this.#answered) {
      if (isForgotten(before)) this.#answered.set(name, { ...before, clientStatus: 'UNKNOWN' });
    }
    for (const row of [...this.rows.values()].filter(isForgotten))
      this.#put({ ...row, clientStatus: 'UNKNOWN', changedAt: at }, changes);
  }

  /** Applies a deletion that the client has accepted. */
  delete(name: string, at: EpochMs, changes: RowChanges): void {
    const row = this.rows.get(name);
    if (row === undefined) return;
    if (!this.isNamed(name)) {
      this.rows.delete(name);
      this.#answered.delete(name);
      changes.remove(this.#key(name));
    } else if (row.clientStatus !== 'DOES_NOT_EXIST') {
      this.#put(doesNotExist(this.#key(name), at), changes);
    }
  }

  #put(row: ResourceState, changes: RowChanges): void {
    this.rows.set(row.name, row);
    this.#answered.delete(row.name);
    changes.put(row);
  }

  #key(name: string): ResourceKey {
    return { typeUrl: this.typeUrl, name };
  }
}

/**
 * The client ACKed a payload that it had rejected. What was in effect before may still be: Envoy skips a cluster that it
 * has from the rejected response.
 */
function ackOfRejected(row: ResourceState, next: ResourceState): ResourceState {
  const { versionInfo, lastUpdated, hash, sizeBytes, errorState } = row;
  if (hash === null) return { ...next, errorState };
  return {
    ...next,
    errorState,
    otherVersions: [{ stage: 'active', versionInfo, lastUpdated, hash, sizeBytes }],
  };
}

/** Reverts ackOfRejected(). */
function beforeAck(row: ResourceState): ResourceState {
  if (!isAckOfRejected(row)) return row;
  const { otherVersions, ...rest } = row;
  const { versionInfo, lastUpdated, hash, sizeBytes } = otherVersions?.[0] ?? requested(row, row.changedAt);
  return { ...rest, clientStatus: 'NACKED', versionInfo, lastUpdated, hash, sizeBytes };
}

export interface Wants {
  wildcard: boolean;
  names: ReadonlySet<string>;
}

/** The resources that one client holds, across its streams. */
export class ClientHoldings {
  readonly #types = new Map<string, TypeHoldings>();
  openStreams = 0;

  typeOf(typeUrl: string): TypeHoldings {
    let type = this.#types.get(typeUrl);
    if (type === undefined) {
      type = new TypeHoldings(typeUrl);
      this.#types.set(typeUrl, type);
    }
    return type;
  }

  get isEmpty(): boolean {
    return this.#types.size === 0;
  }

  clear(): void {
    for (const type of this.#types.values()) type.reset();
  }

  get rowCount(): number {
    let count = 0;
    for (const { rows } of this.#types.values()) count += rows.size;
    return count;
  }
}
