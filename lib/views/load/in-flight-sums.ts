import { ascending } from '../../collections/compare';
import { itemsPerStep, type Steps } from '../../cooperative/steps';
import { addCounts, type Count, subtractCounts } from '../../load/count';
import type { Locality } from '../../observation/observation';
import type { EpochMs } from '../../xds/units';
import { type ClientSums, clusterColumns, columnCount, localityColumns, type Row } from './client-sums';
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

interface Due {
  readonly client: ClientSums;
  readonly cluster: number;
}

/**
 * Sums of the requests in progress of all clients, by source and locality, updated with each report. A cluster of a client
 * counts until it misses three reports, and at least a minute. Its expiry is checked only when it is due.
 */
export class InFlightSums {
  readonly #rowOf: (row: number) => Row | undefined;

  /** The sums by source and row. */
  readonly #sums = new Map<string, Map<number, Sum>>();
  /** Counted clusters, each once, by the slot of their earliest expiry. */
  readonly #due = new Map<number, Due[]>();
  #silent = 0;

  constructor(rowOf: (row: number) => Row | undefined) {
    this.#rowOf = rowOf;
  }

  /** Replaces `before` by `after` for a locality of a counted cluster. `clients` is 1 if the locality is new for the client. */
  change(
    { sourceId }: ClientSums,
    row: number,
    { before, after }: { readonly before: Count; readonly after: Count },
    clients: number,
  ): void {
    const sums = this.#sums.get(sourceId) ?? new Map<number, Sum>();
    this.#sums.set(sourceId, sums);
    const sum = sums.get(row) ?? { inFlight: 0, clients: 0 };
    sum.inFlight = subtractCounts(addCounts(sum.inFlight, after), before);
    sum.clients += clients;
    if (sum.clients > 0) sums.set(row, sum);
    else sums.delete(row);
    if (sums.size === 0) this.#sums.delete(sourceId);
  }

  /** Begins to count a new cluster of a client. Its localities are added by change(). */
  begin(client: ClientSums, cluster: number): void {
    markCounted(client, cluster, 1);
    this.#await({ client, cluster });
  }

  /** Counts silent clusters of a client again. */
  resume(client: ClientSums, clusters: ReadonlySet<number>): void {
    this.#silent -= clusters.size;
    this.#addAll(client, clusters, 1);
    for (const cluster of clusters) this.#await({ client, cluster });
  }

  /** Precondition: the client's rows still exist. */
  remove(client: ClientSums): void {
    const counted = new Set<number>();
    for (const [row, place] of client.places) {
      if (this.#rowOf(row)?.kind !== 'cluster') continue;
      if (isCounted(client, place * columnCount)) counted.add(row);
      else this.#silent -= 1;
    }
    this.#addAll(client, counted, -1);
  }

  /** Visits the client's rows once for all clusters. */
  #addAll(client: ClientSums, clusters: ReadonlySet<number>, sign: 1 | -1): void {
    const { places, counts } = client;
    for (const [number, place] of places) {
      const row = this.#rowOf(number);
      if (row?.kind !== 'locality' || !clusters.has(row.cluster)) continue;
      const inProgress = counts.get(place * columnCount + localityColumns.inProgress);
      const change = sign === 1 ? { before: 0, after: inProgress } : { before: inProgress, after: 0 };
      this.change(client, number, change, sign);
    }
    for (const cluster of clusters) markCounted(client, cluster, sign === 1 ? 1 : 0);
  }

  #await(due: Due): void {
    const slot = Math.floor(expiryOf(due) / slotMs);
    const others = this.#due.get(slot) ?? [];
    this.#due.set(slot, others);
    others.push(due);
  }

  *#expire(now: EpochMs): Steps<void> {
    for (const [slot, all] of [...this.#due]) {
      if ((slot + 1) * slotMs > now) continue;
      this.#due.delete(slot);
      const silent = new Map<ClientSums, Set<number>>();
      for (const due of all) {
        const { client, cluster } = due;
        if (client.isRemoved) continue;
        if (expiryOf(due) >= now) this.#await(due);
        else silent.set(client, (silent.get(client) ?? new Set()).add(cluster));
      }
      yield;
      let visited = 0;
      for (const [client, clusters] of silent) {
        // A client may have been removed, or have reported, since the last step.
        const still = new Set([...clusters].filter((cluster) => this.#isSilent(client, cluster, now)));
        this.#addAll(client, still, -1);
        this.#silent += still.size;
        visited += client.places.size;
        if (visited < itemsPerStep) continue;
        visited = 0;
        yield;
      }
    }
  }

  #isSilent(client: ClientSums, cluster: number, now: EpochMs): boolean {
    if (client.isRemoved) return false;
    const due = { client, cluster };
    if (expiryOf(due) < now) return true;
    this.#await(due);
    return false;
  }

  /** Returns at most `mostLines` lines, those with the oldest names, so that the lines are stable. */
  *read(
    now: EpochMs,
    mostLines: number,
    describe: (
      row: number,
    ) => { readonly clusterName: string; readonly locality: Locality; readonly priority: number } | undefined,
  ): Steps<InFlight> {
    yield* this.#expire(now);
    const lines: InFlightLine[] = [];
    let all = 0;
    for (const [sourceId, sums] of this.#sums) {
      all += sums.size;
      for (const number of [...sums.keys()].sort(ascending).slice(0, mostLines - lines.length)) {
        const row = describe(number);
        if (row === undefined) continue;
        const { clusterName, locality, priority } = row;
        lines.push({ sourceId, clusterName, locality, priority, inFlight: sums.get(number)?.inFlight ?? 0 });
      }
      yield;
    }
    return { lines, dropped: all - lines.length, silent: this.#silent };
  }
}

function expiryOf({ client: { places, counts }, cluster }: Due): EpochMs {
  const at = (places.get(cluster) ?? 0) * columnCount;
  const intervalMs = Number(counts.get(at + clusterColumns.intervalMs));
  const freshMs = Math.max(leastMs, missedReports * Math.max(0, intervalMs));
  return Number(counts.get(at + clusterColumns.lastAt)) + freshMs;
}

/** Returns true if the cluster whose counts start at `at` is in the sums. */
export function isCounted({ counts }: ClientSums, at: number): boolean {
  return Number(counts.get(at + clusterColumns.isCounted)) === 1;
}

function markCounted({ places, counts }: ClientSums, cluster: number, value: 0 | 1): void {
  counts.set((places.get(cluster) ?? 0) * columnCount + clusterColumns.isCounted, value);
}
