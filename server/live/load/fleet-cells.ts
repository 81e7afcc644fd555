import { addCounts, type Count } from '@/lib/load/count';
import type { LoadKind } from '@/lib/load/load-series';
import { noLoadValues } from '@/lib/load/load-values';
import { floorTo } from '@/lib/load/plan-load-reading';
import type { EpochMs } from '@/lib/xds/units';
import { type BlockReader, LoadBlockWriter, loadKinds, readLoadBlock } from './load-block';
import { type FleetSum, intervalClassOf, type LoadFleet } from './load-fleet';

/** Length of the cells in which raw values are summed for the fleet; the steps of a chart are multiples of it. */
export const cellMs = 5_000;

const clusterCode = loadKinds.indexOf('cluster');
/** Position in `loadCounters.cluster`. */
const intervalCounter = 1;

/** A sparse list, whose index is the number of the fleet's series without its sign. */
export type FleetSums = FleetSum[];

/**
 * Adds values of clients to the fleet's sums, by cell of `cellMs`. Gauges of all reports are added as well. The line of
 * the cluster itself is first in a report; it contains the interval by which the following lines are classified.
 */
export class FleetCells implements BlockReader {
  readonly #fleet: LoadFleet;
  readonly #from: number;
  readonly #to: number;

  /** The key is the beginning of the cell. */
  readonly cells = new Map<EpochMs, FleetSums>();
  /** Time of the first value of all clients, imported ones included. */
  firstAt = Number.POSITIVE_INFINITY;
  lastAt = Number.NEGATIVE_INFINITY;
  #cell: FleetSums = [];
  #cellAt = Number.NaN;
  #interval: Count = 0;
  #intervalClass = 0;
  #sum: FleetSum | undefined;
  /** The series of the cluster's line until the second counter states its interval, else 0. */
  #cluster = 0;
  #reports: Count = 0;
  #at = 0;

  /** Without `from` and `to`, all times are read. */
  constructor(fleet: LoadFleet, from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY) {
    this.#fleet = fleet;
    this.#from = from;
    this.#to = to;
  }

  read(block: Uint8Array): void {
    readLoadBlock(block, this);
  }

  begin(series: number, code: number, at: EpochMs): boolean {
    if (at < this.firstAt) this.firstAt = at;
    if (at > this.lastAt) this.lastAt = at;
    this.#cluster = 0;
    if (at < this.#from || at >= this.#to) return false;
    this.#at = at;
    if (code === clusterCode) {
      this.#cluster = series;
      this.#sum = undefined;
      return true;
    }
    this.#sum = this.#sumOf(series, code);
    return this.#sum !== undefined;
  }

  counter(index: number, value: Count): void {
    if (this.#cluster !== 0) {
      if (index < intervalCounter) {
        this.#reports = value;
        return;
      }
      if (value !== this.#interval) {
        this.#interval = value;
        this.#intervalClass = intervalClassOf(Number(value));
      }
      this.#sum = this.#sumOf(this.#cluster, clusterCode);
      this.#cluster = 0;
      this.#add(0, this.#reports);
    }
    this.#add(index, value);
  }

  #add(index: number, value: Count): void {
    if (this.#sum === undefined || value === 0) return;
    const { counters } = this.#sum;
    counters[index] = addCounts(counters[index] ?? 0, value);
  }

  gauge(index: number, value: Count): void {
    if (this.#sum === undefined) return;
    const { gauges } = this.#sum;
    gauges[index] = addCounts(gauges[index] ?? 0, value);
  }

  sum(value: number): void {
    if (this.#sum !== undefined) this.#sum.sum += value;
  }

  #sumOf(series: number, code: number): FleetSum | undefined {
    const fleet = this.#fleet.of(series, this.#intervalClass);
    if (fleet === 0) return undefined;
    if (!(this.#at >= this.#cellAt && this.#at < this.#cellAt + cellMs)) this.#enterCell();
    const sum = fleetSumOf(this.#cell, fleet, loadKinds[code] ?? 'cluster');
    if (this.#at > sum.at) sum.at = this.#at;
    return sum;
  }

  #enterCell(): void {
    this.#cellAt = floorTo(this.#at, cellMs);
    const known = this.cells.get(this.#cellAt);
    this.#cell = known ?? [];
    if (known === undefined) this.cells.set(this.#cellAt, this.#cell);
  }
}

/** Returns the sum of a series, and adds it if there is none. */
export function fleetSumOf(sums: FleetSums, series: number, kind: LoadKind): FleetSum {
  const known = sums[-series];
  if (known !== undefined) return known;
  const { at, counters, gauges, sum } = noLoadValues(kind);
  const made = { at, counters, gauges, sum, kind };
  sums[-series] = made;
  return made;
}

export function forEachSum(sums: FleetSums, visit: (series: number, sum: FleetSum) => void): void {
  // forEach() skips the empty places of the sparse list.
  sums.forEach((sum, place) => {
    visit(-place, sum);
  });
}

/** Encodes cells as a block. The time of a sum is the time of its newest report. */
export function encodeCells(cells: ReadonlyMap<EpochMs, FleetSums>): Uint8Array<ArrayBuffer> {
  const writer = new LoadBlockWriter();
  for (const [, sums] of cells) {
    forEachSum(sums, (series, sum) => writer.add(series, sum.kind, sum));
  }
  return writer.finish();
}
