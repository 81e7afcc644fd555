import { followsType, withOwnVersion, withTypeVersion } from '@/lib/observation/acked-version';
import type { ResourceKey, ResourceState } from '@/lib/observation/resource-state';
import type { ClientDoubts } from './client-doubts';
import type { AcceptedResponse } from './resource-reader';
import type { RowChanges } from './row-changes';
import { TypeSubscriptions } from './type-subscriptions';

/** The rows of one type that a client holds, and the version of the type, which applies to those that followsType() names. */
export class TypeRows {
  readonly rows = new Map<string, ResourceState>();
  readonly subscriptions: TypeSubscriptions;
  /** The rows before they were marked as unanswered, or as missed; null: there was none. */
  readonly answered = new Map<string, ResourceState | null>();
  /** The names of the rows whose doubt a subscription may decide. */
  readonly open = new Set<string>();
  readonly #doubts: ClientDoubts;
  #version: string | undefined;

  constructor(
    readonly typeUrl: string,
    doubts: ClientDoubts,
  ) {
    this.#doubts = doubts;
    this.subscriptions = new TypeSubscriptions(typeUrl);
  }

  restoreVersion(versionInfo: string): void {
    this.#version = versionInfo;
  }

  reset(): void {
    this.rows.clear();
    this.open.clear();
    this.answered.clear();
    this.#version = undefined;
  }

  put(row: ResourceState, changes: RowChanges): void {
    const isOnDemand = this.#doubts.isOnDemand(this.typeUrl) && this.subscriptions.isNamed(row.name);
    const marked = isOnDemand ? { ...row, isOnDemand } : row;
    this.keep(marked);
    changes.put(marked);
  }

  /** Keeps a row that is recorded already. */
  keep(row: ResourceState): void {
    this.rows.set(row.name, row);
    this.answered.delete(row.name);
    if (row.doubt === 'deleted' || row.doubt === 'added-again') this.open.add(row.name);
    else this.open.delete(row.name);
  }

  remove(name: string, changes: RowChanges): void {
    this.rows.delete(name);
    this.answered.delete(name);
    changes.remove(this.keyOf(name));
  }

  keyOf(name: string): ResourceKey {
    return { typeUrl: this.typeUrl, name };
  }

  /**
   * Applies the version of an accepted response to its resources that have no version of their own: to the type if most
   * resources of the type are in the response, and otherwise to each of them. An unchanged response of 10,000 resources
   * changes no row. In delta, where unchanged resources are not sent, it is the version of the type in any case.
   */
  applyVersion({ versionInfo, resources, isDelta }: AcceptedResponse, changes: RowChanges): void {
    if (isDelta) {
      const isOfType =
        versionInfo !== '' && resources.some(({ body, version }) => body !== null && version === '');
      if (isOfType) this.#setVersion(versionInfo, changes);
      return;
    }
    const names = new Set<string>();
    for (const { name, body } of resources) {
      const row = this.rows.get(name ?? '');
      if (row?.clientStatus === 'ACKED' && row.hash === body?.hash) names.add(row.name);
    }
    if (names.size === 0) return;
    if (versionInfo !== this.#version && this.#isMost(names)) {
      this.#keepVersions(names, changes);
      this.#setVersion(versionInfo, changes);
    }
    for (const name of names) {
      const row = this.rows.get(name);
      if (row === undefined) continue;
      const next = versionInfo === this.#version ? withTypeVersion(row) : withOwnVersion(row, versionInfo);
      if (next !== row) this.put(next, changes);
    }
  }

  /** True if these are most of the resources that the client has accepted. */
  #isMost({ size }: ReadonlySet<string>): boolean {
    if (size * 2 > this.rows.size) return true;
    let accepted = 0;
    for (const { clientStatus } of this.rows.values()) if (clientStatus === 'ACKED') accepted += 1;
    return size * 2 > accepted;
  }

  #setVersion(versionInfo: string, changes: RowChanges): void {
    if (versionInfo === this.#version) return;
    this.#version = versionInfo;
    changes.typeVersion = { typeUrl: this.typeUrl, versionInfo };
  }

  /** Prepares for another version of the type, which does not apply to resources other than these. */
  #keepVersions(names: ReadonlySet<string>, changes: RowChanges): void {
    for (const [name, before] of this.answered) {
      if (before !== null && !names.has(name)) this.answered.set(name, this.resolved(before));
    }
    for (const row of this.rows.values()) {
      if (names.has(row.name) || row.clientStatus !== 'ACKED') continue;
      const resolved = this.resolved(row);
      if (resolved !== row) this.put(resolved, changes);
    }
  }

  /** The row with the version that the client ACKed last, whatever the version of the type will be. */
  resolved(row: ResourceState): ResourceState {
    return followsType(row) ? withOwnVersion(row, this.#version ?? row.versionInfo) : row;
  }
}
