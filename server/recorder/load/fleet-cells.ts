import { addCounts, type Count } from '@/lib/load/count';
import type { LoadKind } from '@/lib/load/load-series';
import { noLoadValues } from '@/lib/load/load-values';
import { floorTo } from '@/lib/load/plan-load-reading';
import type { EpochMs } from '@/lib/xds/units';
import { type BlockReader, LoadBlockWriter, loadKinds, readLoadBlock } from '../../load/load-block';
import { type FleetSum, intervalClassOf, type LoadFleet } from './load-fleet';

/** Raw values of the fleet are sums of so long: steps of a chart are made of whole ones. */
export const cellMs = 5_000;

const clusterCode = loadKinds.indexOf('cluster');
/** Places in `loadCounters.cluster`. */
const intervalCounter = 1;

/** By series of the fleet, without its sign: those that reported nothing are left out. */
export type FleetSums = FleetSum[];

/**
 * Values of clients, added up to those of the fleet, in cells of `cellMs`. Gauges of all reports add up, too. A report's
 * line on its cluster comes first, and says the interval of the lines that follow.
 */
export class FleetCells implements BlockReader {
  /** By the beginning of the cell. */
  readonly cells = new Map<EpochMs, FleetSums>();
  /** Of all that was read, clients of files included. */
  firstAt = Number.POSITIVE_INFINITY;
  lastAt = Number.NEGATIVE_INFINITY;
  #cell: FleetSums = [];
  #cellAt = Number.NaN;
  #interval: Count = 0;
  #intervalClass = 0;
  #sum: FleetSum | undefined;
  /** Of the cluster's line that is being read: its interval is not known before its second counter. */
  #cluster = 0;
  #reports: Count = 0;
  #at = 0;

  /** Not there: of all times. */
  constructor(
    private readonly fleet: LoadFleet,
    private readonly from = Number.NEGATIVE_INFINITY,
    private readonly to = Number.POSITIVE_INFINITY,
  ) {}

  read(block: Uint8Array): void {
    readLoadBlock(block, this);
  }

  begin(series: number, code: number, at: EpochMs): boolean {
    if (at < this.firstAt) this.firstAt = at;
    if (at > this.lastAt) this.lastAt = at;
    this.#cluster = 0;
    if (at < this.from || at >= this.to) return false;
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
    const fleet = this.fleet.of(series, this.#intervalClass);
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

/** The sum of a series of the fleet, which is made where there is none. */
export function fleetSumOf(sums: FleetSums, series: number, kind: LoadKind): FleetSum {
  const known = sums[-series];
  if (known !== undefined) return known;
  const { at, counters, gauges, sum } = noLoadValues(kind);
  const made = { at, counters, gauges, sum, kind };
  sums[-series] = made;
  return made;
}

export function forEachSum(sums: FleetSums, visit: (series: number, sum: FleetSum) => void): void {
  // Passes over what was left out.
  sums.forEach((sum, place) => {
    visit(-place, sum);
  });
}

/** Cells as a block: the time of a value is that of its newest report, within its cell. */
export function encodeCells(cells: ReadonlyMap<EpochMs, FleetSums>): Uint8Array<ArrayBuffer> {
  const writer = new LoadBlockWriter();
  for (const [, sums] of cells) {
    forEachSum(sums, (series, sum) => writer.add(series, sum.kind, sum));
  }
  return writer.finish();
}
