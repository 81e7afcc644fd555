import { byDescending } from '@/lib/collections/compare';
import type { World } from '@/lib/observation/fold';
import type { NodeInfo, Recorded } from '@/lib/observation/observation';
import { findNodeChanges, type NodeChange } from '@/lib/views/fleet/node-changes';
import type { EpochMs } from '@/lib/xds/units';
import { boundedCache } from '../../bounded-cache';

export interface ChangedNode {
  readonly clientId: string;
  readonly at: EpochMs;
  readonly sourceId: string;
  readonly changes: readonly NodeChange[];
  readonly others: number;
  readonly times: number;
}

export interface KeptNodeChanges {
  /** The seq of the newest observation that is counted. */
  readonly seq: number;
  /** The least recently reported one is first. */
  readonly changed: readonly ChangedNode[];
}

const clientsKept = 10_000;
/** Limits the nodes over all clients and sources. */
const nodesKept = 50_000;
const changesKept = 8;

/**
 * Finds clients whose node changed: a stream that opens with other metadata, or a report with another locality. Each
 * report is compared with the previous report of the same source, because sources report different fields. After a
 * restart it begins with the kept changes and with the nodes of the restored state.
 */
export class NodeWatcher {
  readonly #nodes = boundedCache<NodeInfo>(nodesKept);
  readonly #changed = boundedCache<ChangedNode>(clientsKept);
  /** Observations up to this one are counted in `changed`. */
  #keptSeq = 0;
  #newestSeq = 0;
  #unsaved = false;

  constructor(world: World, kept: KeptNodeChanges = { seq: 0, changed: [] }) {
    this.adopt(world, kept);
  }

  /** Continues with what another process has stored, and the nodes of clients that were folded elsewhere. */
  adopt(world: World, kept: KeptNodeChanges): void {
    this.#keptSeq = kept.seq;
    this.#newestSeq = kept.seq;
    for (const each of kept.changed) this.#changed.set(each.clientId, each);
    for (const { nodeSourceId, clientId, node } of world.values()) {
      this.#nodes.set(keyOf(nodeSourceId, clientId), node);
    }
  }

  /** Processes an observation from before the start, in the order of the log. */
  replay(observation: Recorded): void {
    this.#note(observation, observation.seq > this.#keptSeq);
  }

  readonly observe = (observation: Recorded): void => this.#note(observation, true);

  #note(observation: Recorded, isNew: boolean): void {
    this.#newestSeq = observation.seq;
    if (observation.kind !== 'stream-opened' && observation.kind !== 'client-config-changed') return;
    const { clientId, sourceId, node, at } = observation;
    const key = keyOf(sourceId, clientId);
    const before = this.#nodes.get(key);
    this.#nodes.set(key, node);
    if (before === undefined || !isNew) return;
    const changes = findNodeChanges(before, node);
    if (changes.length === 0) return;
    const times = (this.#changed.get(clientId)?.times ?? 0) + 1;
    const others = Math.max(0, changes.length - changesKept);
    this.#changed.set(clientId, {
      ...{ clientId, at, sourceId, times, others },
      changes: changes.slice(0, changesKept),
    });
    this.#unsaved = true;
  }

  /** Drops the nodes of an evicted client; its changes remain. */
  forget(clientId: string, sourceIds: Iterable<string>): void {
    for (const sourceId of sourceIds) this.#nodes.delete(keyOf(sourceId, clientId));
  }

  /** The newest change is first. */
  list(): ChangedNode[] {
    return [...this.#changed.values()].sort(byDescending(({ at }) => at));
  }

  /** Returns undefined if nothing changed since the last call. */
  takeUnsaved(): KeptNodeChanges | undefined {
    if (!this.#unsaved) return undefined;
    this.#unsaved = false;
    return { seq: this.#newestSeq, changed: [...this.#changed.values()].reverse() };
  }
}

function keyOf(sourceId: string, clientId: string): string {
  return `${sourceId}\u0000${clientId}`;
}
