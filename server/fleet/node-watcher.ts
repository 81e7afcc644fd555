import { LRUCache } from 'lru-cache';
import type { World } from '@/lib/observation/fold';
import type { NodeInfo, Recorded } from '@/lib/observation/observation';
import { findNodeChanges, type NodeChange } from '@/lib/view-model/fleet/node-changes';
import type { EpochMs } from '@/lib/xds/units';

export interface ChangedNode {
  readonly clientId: string;
  readonly at: EpochMs;
  readonly sourceId: string;
  readonly changes: readonly NodeChange[];
  /** How often it was another one. */
  readonly times: number;
}

const clientsKept = 10_000;

/**
 * Which node ids told of another node than before: a stream that opens with other metadata, a report with another
 * locality. Each source's word is held against its own before, since one tells more than another. What came before the
 * start is known as far as the world has it.
 */
export class NodeWatcher {
  private readonly nodes = new Map<string, NodeInfo>();
  private readonly changed = new LRUCache<string, ChangedNode>({ max: clientsKept });

  constructor(world: World) {
    // Whose word the node is, is not kept: where one source alone tells, it was that one.
    for (const { clientId, node, reports } of world.values()) {
      const [only, ...others] = reports.keys();
      if (only !== undefined && others.length === 0) this.nodes.set(keyOf(only, clientId), node);
    }
  }

  readonly observe = (observation: Recorded): void => {
    if (observation.kind !== 'stream-opened' && observation.kind !== 'client-config-changed') return;
    const { clientId, sourceId, node, at } = observation;
    const key = keyOf(sourceId, clientId);
    const before = this.nodes.get(key);
    this.nodes.set(key, node);
    const changes = before === undefined ? [] : findNodeChanges(before, node);
    if (changes.length === 0) return;
    const times = (this.changed.get(clientId)?.times ?? 0) + 1;
    this.changed.set(clientId, { clientId, at, sourceId, changes, times });
  };

  /** The newest first. */
  list(): ChangedNode[] {
    return [...this.changed.values()].sort((a, b) => b.at - a.at);
  }
}

function keyOf(sourceId: string, clientId: string): string {
  return `${sourceId}\u0000${clientId}`;
}
