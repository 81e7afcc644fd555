import type { ResourceChanges, ResourceKey, ResourceState } from '@/lib/observation/observation';
import type { EpochMs } from '@/lib/xds/units';
import { accepted, doesNotExist, rejected, requested } from '../../xds/client/resource-state';
import type { PassedResource } from './resource-reader';

/** A client of a tap may say anything; what is beyond is not followed. */
export const maxRowsOfClient = 300_000;

/** Before gRFC A88, as all clients in the field: what was accepted stays in use. */
const policy = {
  model: 'pre-a88',
  ignoreResourceDeletion: false,
  failOnDataErrors: false,
  timerIsTransient: false,
} as const;

export interface Acceptance {
  readonly versionInfo: string;
  readonly at: EpochMs;
}

/** Changes of rows, gathered: the last word on a row counts. */
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

/** What one client holds of one type, as its streams through the tap have reported. */
export class TypeHoldings {
  readonly rows = new Map<string, ResourceState>();
  /** Open streams that have asked for the type. */
  readonly #streams = new Set<Wants>();

  constructor(readonly typeUrl: string) {}

  join(wants: Wants): void {
    this.#streams.add(wants);
  }

  leave(wants: Wants): void {
    this.#streams.delete(wants);
  }

  /** Does another stream of the client ask for the type? Then what this one says is not all. */
  isShared(wants: Wants): boolean {
    return this.#streams.size > (this.#streams.has(wants) ? 1 : 0);
  }

  isWanted(name: string): boolean {
    for (const wants of this.#streams) if (wants.wildcard || wants.names.has(name)) return true;
    return false;
  }

  /** Something of it is in use, as the client said by an ACK. */
  get hasAccepted(): boolean {
    for (const { clientStatus } of this.rows.values()) if (clientStatus === 'ACKED') return true;
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

  /** It holds that, and from before anybody listened. */
  heldBefore(name: string, versionInfo: string, at: EpochMs, changes: RowChanges): void {
    const known = this.rows.get(name);
    if (known !== undefined && known.hash !== null) return;
    this.#put({ ...requested(this.#key(name), at), clientStatus: 'UNKNOWN', versionInfo }, changes);
  }

  /** Nobody asks for it any more. */
  drop(name: string, changes: RowChanges): void {
    if (this.isWanted(name) || !this.rows.delete(name)) return;
    changes.remove(this.#key(name));
  }

  /** A client that begins anew has none of it. */
  clear(changes: RowChanges): void {
    for (const name of this.rows.keys()) changes.remove(this.#key(name));
    this.rows.clear();
  }

  accept(
    { name, body, apiVersion, version }: PassedResource,
    { versionInfo, at }: Acceptance,
    changes: RowChanges,
  ): void {
    if (name === null || body === null || !this.isWanted(name)) return;
    const row = this.rows.get(name);
    if (row === undefined && this.rows.size >= maxRowsOfClient) return;
    // Those that came as they were keep the version under which they came, as most clients have it.
    if (row !== undefined && row.clientStatus === 'ACKED' && row.hash === body.hash) return;
    const { hash } = body;
    const reported = {
      versionInfo: version === '' ? versionInfo : version,
      hash,
      sizeBytes: body.bytes.length,
    };
    this.#put(
      accepted(this.#key(name), apiVersion === 'v2' ? { ...reported, apiVersion } : reported, at),
      changes,
    );
  }

  reject(
    { name, body, version }: PassedResource,
    reason: string,
    { versionInfo, at }: Acceptance,
    changes: RowChanges,
  ): void {
    if (name === null || !this.isWanted(name)) return;
    const row = this.rows.get(name) ?? requested(this.#key(name), at);
    // Clients reject the same again with each response that still holds it: the row stays, and says what was rejected.
    const known = row.clientStatus === 'NACKED' ? row.errorState : null;
    if (known !== null && known.failedHash === (body?.hash ?? null) && known.details === reason) {
      changes.put(row);
      return;
    }
    const rejection = {
      reason,
      versionInfo: version === '' ? versionInfo : version,
      failedHash: body?.hash ?? null,
    };
    this.#put(rejected(row, rejection, at, policy), changes);
  }

  /** It was in a response of which a part is in use; whether it is in that part, nobody can tell. */
  lose(
    { name, body }: PassedResource,
    details: string,
    { versionInfo, at }: Acceptance,
    changes: RowChanges,
  ): void {
    if (name === null || body === null || !this.isWanted(name)) return;
    if (this.rows.get(name)?.hash === body.hash) return;
    const errorState = { details, versionInfo, lastUpdateAttempt: at, failedHash: body.hash };
    this.#put({ ...requested(this.#key(name), at), clientStatus: 'UNKNOWN', errorState }, changes);
  }

  /** The server has it no more, and the client has accepted that. */
  delete(name: string, at: EpochMs, changes: RowChanges): void {
    const row = this.rows.get(name);
    if (row === undefined) return;
    if (!this.isNamed(name)) {
      this.rows.delete(name);
      changes.remove(this.#key(name));
    } else if (row.clientStatus !== 'DOES_NOT_EXIST') {
      this.#put(doesNotExist(this.#key(name), at), changes);
    }
  }

  #put(row: ResourceState, changes: RowChanges): void {
    this.rows.set(row.name, row);
    changes.put(row);
  }

  #key(name: string): ResourceKey {
    return { typeUrl: this.typeUrl, name };
  }
}

/** What one stream asks for, of one type. */
export interface Wants {
  wildcard: boolean;
  names: ReadonlySet<string>;
}

/** What one client of a tap holds, all its streams together. */
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

  /** Another process of the client has none of it. */
  clear(): void {
    for (const { rows } of this.#types.values()) rows.clear();
  }

  get rowCount(): number {
    let count = 0;
    for (const { rows } of this.#types.values()) count += rows.size;
    return count;
  }
}
