import type { ResourceKey } from '@/lib/observation/resource-state';
import { encodeBody } from '../codec/encode-body';
import type { ManagementServer } from './management-server/management-server';
import { everyDeltaStream, everyNode, type Resource } from './management-server/snapshot-store';
import { buildShop } from './shop/build-shop';
import { injectDeltaFaults } from './shop/fault';
import type { MeshResource } from './shop/mesh-resource';
import { buildEdge, edgeNodeId } from './shop/shop-edge';
import { initialShopState, type ShopState } from './shop/shop-state';

interface ResourceChange {
  readonly set?: readonly Resource[];
  readonly removed?: readonly ResourceKey[];
}

/**
 * The resources that the management server serves: those of the shop's state, overridden by what users have set or
 * removed. Background faults do not change resources that users set, until their key is released.
 */
export class ShopMesh {
  readonly #server: ManagementServer;
  readonly #portOf: (backend: string) => number;
  #current = initialShopState;
  /** The port of the listener of the Envoy. Absent: there is none. */
  #edgePort: number | undefined;
  /** The key consists of type and name; null means that a user removed the resource. */
  readonly #setByUser = new Map<string, Resource | null>();

  constructor(server: ManagementServer, portOf: (backend: string) => number) {
    this.#server = server;
    this.#portOf = portOf;
  }

  get state(): ShopState {
    return this.#current;
  }

  change(change: Partial<ShopState>): void {
    this.#current = { ...this.#current, ...change };
    this.publish();
  }

  /** Sends all changes at once. */
  override({ set = [], removed = [] }: ResourceChange): void {
    for (const resource of set) this.#setByUser.set(keyOf(resource), resource);
    for (const key of removed) this.#setByUser.set(keyOf(key), null);
    this.publish();
  }

  release(key: ResourceKey): void {
    this.#setByUser.delete(keyOf(key));
  }

  isSetByUser(key: ResourceKey): boolean {
    return this.#setByUser.has(keyOf(key));
  }

  /** From now on serves an Envoy whose listener has this port. */
  serveEdge(port: number): void {
    this.#edgePort = port;
    this.publish();
  }

  publish(): void {
    const resources = new Map<string, Resource>();
    const shop = buildShop(this.#current, this.#portOf);
    for (const resource of shop) resources.set(keyOf(resource), encoded(resource));
    for (const [key, resource] of this.#setByUser) {
      if (resource === null) resources.delete(key);
      else resources.set(key, resource);
    }
    this.#server.setResources(everyNode, [...resources.values()]);
    this.#server.setResources(
      everyDeltaStream,
      injectDeltaFaults(shop, this.#current.activeFaults).map(encoded),
    );
    if (this.#edgePort === undefined) return;
    this.#server.setResources(edgeNodeId, buildEdge(this.#current, this.#edgePort).map(encoded));
  }
}

function encoded({ typeUrl, name, json }: MeshResource): Resource {
  return { typeUrl, name, bytes: encodeBody(typeUrl, json) };
}

function keyOf({ typeUrl, name }: ResourceKey): string {
  return `${typeUrl}\u0000${name}`;
}
