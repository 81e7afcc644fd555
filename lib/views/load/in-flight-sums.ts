import { itemsPerStep, type Steps } from '../../cooperative/steps';
import { addCounts, type Count, subtractCounts } from '../../load/count';
import type { EpochMs } from '../../xds/units';
import type { ClientSums, ClusterSums, SharedRow } from './client-sums';
import type { InFlight, InFlightLine } from './load-rows';

/** A gauge is unknown after three missed reports, and not before a minute. */
const missedReports = 3;
const leastMs = 60_000;
/** Expiry is checked in steps of a second. */
const slotMs = 1_000;

interface Sum {
  inFlight: Count;
  clients: number;
}

/**
 * Sums of the requests in progress of all clients, by source and locality, updated with each report. A cluster of a client
 * counts until it misses three reports, and at least a minute. Its expiry is checked only when it is due.
 */
export class InFlightSums {
  /** The sums by source and row. */
  readonly #sums = new Map<string, Map<SharedRow, Sum>>();
  /** Counted clusters, each once, by the slot of their earliest expiry. */
  readonly #due = new Map<number, ClusterSums[]>();
  #silent = 0;

  /** Replaces `before` by `after` for a locality of a counted cluster. `clients` is 1 if the locality is new for the client. */
  change(
    { sourceId }: ClientSums,
    row: SharedRow,
    { before, after }: { readonly before: Count; readonly after: Count },
    clients: number,
  ): void {
    const sums = this.#sums.get(sourceId) ?? new Map<SharedRow, Sum>();
    this.#sums.set(sourceId, sums);
    const sum = sums.get(row) ?? { inFlight: 0, clients: 0 };
    sum.inFlight = subtractCounts(addCounts(sum.inFlight, after), before);
    sum.clients += clients;
    if (sum.clients > 0) sums.set(row, sum);
    else sums.delete(row);
    if (sums.size === 0) this.#sums.delete(sourceId);
  }

  /** Begins to count a new cluster, whose localities are added by change(), or a silent one again. */
  begin(cluster: ClusterSums, isSilent: boolean): void {
    if (isSilent) {
      this.#silent -= 1;
      this.#addAll(cluster, 1);
    }
    cluster.isCounted = true;
    this.#await(cluster);
  }

  remove(cluster: ClusterSums): void {
    if (cluster.isCounted) this.#addAll(cluster, -1);
    else this.#silent -= 1;
  }

  #addAll({ client, localities }: ClusterSums, sign: 1 | -1): void {
    for (const { row, inProgress } of localities.values()) {
      const change = sign === 1 ? { before: 0, after: inProgress } : { before: inProgress, after: 0 };
      this.change(client, row, change, sign);
    }
  }

  #await(cluster: ClusterSums): void {
    const slot = Math.floor(expiryOf(cluster) / slotMs);
    const others = this.#due.get(slot) ?? [];
    this.#due.set(slot, others);
    others.push(cluster);
  }

  *#expire(now: EpochMs): Steps<void> {
    for (const [slot, all] of [...this.#due]) {
      if ((slot + 1) * slotMs > now) continue;
      this.#due.delete(slot);
      let visited = 0;
      for (const cluster of all) {
        if (cluster.client.isRemoved) continue;
        if (expiryOf(cluster) >= now) {
          this.#await(cluster);
          continue;
        }
        this.#addAll(cluster, -1);
        cluster.isCounted = false;
        this.#silent += 1;
        visited += 1 + cluster.localities.size;
        if (visited < itemsPerStep) continue;
        visited = 0;
        yield;
      }
      yield;
    }
  }

  /** Returns at most `mostLines` lines, the oldest ones, so that the lines are stable. */
  *read(now: EpochMs, mostLines: number): Steps<InFlight> {
    yield* this.#expire(now);
    const lines: InFlightLine[] = [];
    let all = 0;
    for (const [sourceId, sums] of this.#sums) {
      all += sums.size;
      for (const [{ clusterName, part }, { inFlight }] of sums) {
        if (lines.length === mostLines) break;
        if (part.kind !== 'locality') continue;
        const { locality, priority } = part;
        lines.push({ sourceId, clusterName, locality, priority, inFlight });
      }
      yield;
    }
    return { lines, dropped: all - lines.length, silent: this.#silent };
  }
}

function expiryOf({ intervalMs, lastAt }: ClusterSums): EpochMs {
  return lastAt + Math.max(leastMs, missedReports * (intervalMs ?? 0));
}
