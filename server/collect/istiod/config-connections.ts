import { formatCounted } from '@/lib/format/count';
import { formatIsoTime } from '@/lib/format/iso-time';
import type { EpochMs } from '@/lib/xds/units';
import type { KnownClient } from '../poll-diff/known-clients';

/** The connections of one istiod, which has an id for each: the name of the node and a number, as in "cart-1.shop-7". */
export interface ConnectionList {
  ids(): Promise<readonly string[]>;
  /** CLUSTER_ID of the node; undefined if it is not a proxy of a mesh but, for example, a probe. */
  clusterOf(id: string): Promise<string | undefined>;
}

/** The largest number of connections with one name whose nodes are requested. */
const maxCandidates = 8;

/**
 * Finds the text with which to request the config of a proxy. istiod answers for any connection whose id contains the
 * requested text: for "cart-1.shop" also for "cart-1.shop-test", and for a probe with the node id of the proxy.
 */
export class ConfigConnections {
  /** The names of all connections, those of observers included. undefined: istiod does not list them. */
  #names: readonly string[] | undefined;
  /** The ids that were read since the newest list of names. */
  #ids: readonly string[] | undefined;
  /** The reason why the config of a client is not requested. */
  readonly #ambiguous = new Map<string, { readonly why: string; readonly since: EpochMs }>();

  /** Called with every sync status. `clientIds`: the current clients. */
  follow(names: readonly string[] | undefined, clientIds: ReadonlySet<string>): void {
    this.#names = names;
    this.#ids = undefined;
    for (const clientId of this.#ambiguous.keys())
      if (!clientIds.has(clientId)) this.#ambiguous.delete(clientId);
  }

  /**
   * Returns undefined if istiod would also answer with the config of another connection. `known`: names of connections, if
   * istiod lists none.
   */
  async find(
    [clientId, { node }]: readonly [string, KnownClient],
    known: readonly string[],
    list: ConnectionList,
    at: EpochMs,
  ): Promise<string | undefined> {
    const rival = findRival(node.id, this.#names ?? known);
    const id = rival === undefined ? node.id : await this.#findId(node, list);
    if (id !== undefined) this.#ambiguous.delete(clientId);
    else {
      const why =
        rival === node.id
          ? `several clients have the name "${rival}"`
          : `"${node.id}" is a part of "${rival}"`;
      this.#ambiguous.set(clientId, { why, since: this.#ambiguous.get(clientId)?.since ?? at });
    }
    return id;
  }

  notes(): string[] {
    const [first] = this.#ambiguous.values();
    if (first === undefined) return [];
    const proxies = formatCounted(this.#ambiguous.size, 'proxy', 'proxies');
    return [
      `istiod finds a proxy by a part of its name, so that the config of ${proxies} has not been requested since ${formatIsoTime(first.since)}, and what was read before stays: ${first.why}.`,
    ];
  }

  /** The id of the proxy's connection, if no other id contains it. */
  async #findId(
    { id: name, metadata }: KnownClient['node'],
    list: ConnectionList,
  ): Promise<string | undefined> {
    if (this.#names === undefined) return undefined;
    this.#ids ??= await list.ids();
    const ids = this.#ids;
    const own = ids.filter((id) => id.startsWith(`${name}-`) && /^\d+$/.test(id.slice(name.length + 1)));
    const [only, ...others] = own.length > 1 ? await findOfCluster(own, metadata.CLUSTER_ID, list) : own;
    const isFound = only !== undefined && others.length === 0;
    return isFound && ids.every((id) => id === only || !id.includes(only)) ? only : undefined;
  }
}

async function findOfCluster(ids: readonly string[], cluster: unknown, list: ConnectionList) {
  const found: string[] = [];
  if (ids.length > maxCandidates) return found;
  for (const id of ids) if ((await list.clusterOf(id)) === cluster) found.push(id);
  return found;
}

/** Returns the name of another connection whose id contains `name`; `name` itself if several connections have it. */
function findRival(name: string, names: Iterable<string>): string | undefined {
  // "cart.shop-1" is a part of "cart.shop-15", which is the connection 15 of "cart.shop".
  const [, beforeNumber] = /^(.+)-\d+$/.exec(name) ?? [];
  let isListed = false;
  for (const other of names) {
    const isOwn = other === name;
    if (isOwn && !isListed) isListed = true;
    else if (isOwn || other.includes(name) || (beforeNumber !== undefined && other.endsWith(beforeNumber)))
      return other;
  }
  return undefined;
}
