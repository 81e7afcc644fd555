import { LRUCache } from 'lru-cache';
import type { World } from '@/lib/observation/fold';
import type { NodeInfo, Recorded } from '@/lib/observation/observation';
import { findNodeChanges, type NodeChange } from '@/lib/view-model/fleet/node-changes';
import type { EpochMs } from '@/lib/xds/units';

export interface ChangedNode {
  readonly clientId: string;
  readonly at: EpochMs;
  readonly sourceId: string;
  /** The first ones. */
  readonly changes: readonly NodeChange[];
  /** How many fields are different beside those. */
  readonly others: number;
  /** How often it was another one. */
  readonly times: number;
}

/** What is kept over a restart. */
export interface KeptNodeChanges {
  /** The newest observation that counts in it. */
  readonly seq: number;
  /** The one that was reported longest ago first. */
  readonly changed: readonly ChangedNode[];
}

const clientsKept = 10_000;
/** Of all clients, by each source. */
const nodesKept = 50_000;
const changesKept = 8;

/**
 * Which node ids reported another node than before: a stream that opens with other metadata, a report with another
 * locality. Each source's word is held against its own before, since one reports more than another. Of before the start it
 * knows the changes that were kept, and the word that each client's node in the world is.
 */
export class NodeWatcher {
  private readonly nodes = new LRUCache<string, NodeInfo>({ max: nodesKept });
  private readonly changed = new LRUCache<string, ChangedNode>({ max: clientsKept });
  /** Up to here everything is in `changed` already. */
  private readonly keptSeq: number;
  private newestSeq: number;
  private unsaved = false;

  constructor(world: World, kept: KeptNodeChanges = { seq: 0, changed: [] }) {
    this.keptSeq = kept.seq;
    this.newestSeq = kept.seq;
    for (const each of kept.changed) this.changed.set(each.clientId, each);
    for (const { nodeSourceId, clientId, node } of world.values()) {
      this.nodes.set(keyOf(nodeSourceId, clientId), node);
    }
  }

  /** What was observed before the start, in the order of the log. */
  replay(observation: Recorded): void {
    this.note(observation, observation.seq > this.keptSeq);
  }

  readonly observe = (observation: Recorded): void => this.note(observation, true);

  private note(observation: Recorded, isNew: boolean): void {
    this.newestSeq = observation.seq;
    if (observation.kind !== 'stream-opened' && observation.kind !== 'client-config-changed') return;
    const { clientId, sourceId, node, at } = observation;
    const key = keyOf(sourceId, clientId);
    const before = this.nodes.get(key);
    this.nodes.set(key, node);
    if (before === undefined || !isNew) return;
    const changes = findNodeChanges(before, node);
    if (changes.length === 0) return;
    const times = (this.changed.get(clientId)?.times ?? 0) + 1;
    const others = Math.max(0, changes.length - changesKept);
    this.changed.set(clientId, {
      ...{ clientId, at, sourceId, times, others },
      changes: changes.slice(0, changesKept),
    });
    this.unsaved = true;
  }

  /** Its client is not here any more; what changed of it stays, with the log. */
  forget(clientId: string, sourceIds: Iterable<string>): void {
    for (const sourceId of sourceIds) this.nodes.delete(keyOf(sourceId, clientId));
  }

  /** The newest first. */
  list(): ChangedNode[] {
    return [...this.changed.values()].sort((a, b) => b.at - a.at);
  }

  /** undefined: nothing is different since the last call. */
  takeUnsaved(): KeptNodeChanges | undefined {
    if (!this.unsaved) return undefined;
    this.unsaved = false;
    return { seq: this.newestSeq, changed: [...this.changed.values()].reverse() };
  }
}

function keyOf(sourceId: string, clientId: string): string {
  return `${sourceId}\u0000${clientId}`;
}
