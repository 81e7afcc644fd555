import type { NodeInfo } from '@/lib/observation/observation';
import type { ResourceState, TypeVersion } from '@/lib/observation/resource-state';
import { ClientDoubts } from './client-doubts';
import { TypeHoldings } from './type-holdings';

/** The resources that one client holds, across its streams. */
export class ClientHoldings {
  readonly #types = new Map<string, TypeHoldings>();
  readonly #doubts: ClientDoubts;
  openStreams = 0;

  constructor(node: NodeInfo) {
    this.#doubts = new ClientDoubts(
      node,
      (typeUrl, name) => this.#types.get(typeUrl)?.subscriptions.isWanted(name) === true,
    );
  }

  restore(rows: readonly ResourceState[], typeVersions: readonly TypeVersion[]): void {
    for (const row of rows) this.typeOf(row.typeUrl).restore(row);
    for (const { typeUrl, versionInfo } of typeVersions) this.typeOf(typeUrl).restoreVersion(versionInfo);
  }

  get typeUrls(): Iterable<string> {
    return this.#types.keys();
  }

  typeOf(typeUrl: string): TypeHoldings {
    let type = this.#types.get(typeUrl);
    if (type === undefined) {
      type = new TypeHoldings(typeUrl, this.#doubts);
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
