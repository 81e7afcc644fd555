import { LRUCache } from 'lru-cache';
import { identifyClient } from '../../../client-id';
import type { StreamClient } from '../recorded-stream';

const maxNodes = 10_000;

/** The clients of targets (gRFC A71) by the id of their node, which load reports alone have. */
export class ScopedClients {
  readonly #byNode = new LRUCache<string, Map<string, StreamClient>>({ max: maxNodes });

  add(client: StreamClient): void {
    const { clientId, node } = client;
    if (clientId === identifyClient(node, '')) return;
    const known = this.#byNode.get(node.id) ?? new Map<string, StreamClient>();
    known.set(clientId, client);
    this.#byNode.set(node.id, known);
  }

  /** The client that reports load with this node id, if it has a single target; `isOpen`: whether it has a stream. */
  findOnly(nodeId: string, isOpen: (client: StreamClient) => boolean): StreamClient | undefined {
    const known = [...(this.#byNode.get(nodeId)?.values() ?? [])];
    const open = known.filter(isOpen);
    const [only, ...others] = open.length === 0 ? known : open;
    return others.length === 0 ? only : undefined;
  }
}
