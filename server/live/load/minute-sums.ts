import { addCounts, type Count } from '@/lib/load/count';
import { CountColumn } from '@/lib/load/count-column';
import type { LoadKind } from '@/lib/load/load-series';
import { type LoadValues, loadCounters, loadGauges } from '@/lib/load/load-values';
import type { EpochMs } from '@/lib/xds/units';
import { type BlockReader, loadKinds } from './load-block';

const counterCounts = loadKinds.map((kind) => loadCounters[kind].length);
const gaugeCounts = loadKinds.map((kind) => loadGauges[kind].length);

/**
 * Sums of one minute by series, as lists of numbers, because there may be half a million of them. A series
 * has the time of its newest report, its counters, and its gauges.
 */
export class MinuteSums implements BlockReader {
  /** The number of blocks that were added. */
  blocks = 0;
  /** The index is the series, the value the position of its numbers + 1, or 0 if the series has none. */
  #places = new Int32Array(1_024);
  #kinds = new Uint8Array(1_024);
  readonly #numbers = new CountColumn(1_024);
  readonly #sums = new Map<number, number>();
  #used = 0;
  #newestAt = Number.NEGATIVE_INFINITY;
  /** The series whose value is being added. */
  #series = 0;
  #place = 0;
  #counters = 0;
  #isNewest = false;

  /** Time of the newest report of all series. */
  get newestAt(): EpochMs {
    return this.#newestAt;
  }

  begin(series: number, code: number, at: EpochMs): boolean {
    if (series >= this.#places.length) this.#growSeries(series);
    let place = (this.#places[series] ?? 0) - 1;
    const isNew = place < 0;
    if (isNew) {
      place = this.#used;
      this.#used += 1 + (counterCounts[code] ?? 0) + (gaugeCounts[code] ?? 0);
      if (this.#used > this.#numbers.length) this.#numbers.grow(Math.ceil(this.#used * 1.5));
      this.#places[series] = place + 1;
      this.#kinds[series] = code;
    }
    this.#series = series;
    this.#place = place + 1;
    this.#counters = counterCounts[code] ?? 0;
    this.#isNewest = isNew || at >= Number(this.#numbers.get(place));
    if (this.#isNewest) this.#numbers.set(place, at);
    if (at > this.#newestAt) this.#newestAt = at;
    return true;
  }

  counter(index: number, value: Count): void {
    if (value !== 0) this.#numbers.add(this.#place + index, value);
  }

  gauge(index: number, value: Count): void {
    if (this.#isNewest) this.#numbers.set(this.#place + this.#counters + index, value);
  }

  sum(value: number): void {
    this.#sums.set(this.#series, (this.#sums.get(this.#series) ?? 0) + value);
  }

  /** Visits the series in the order of their numbers. */
  forEach(visit: (series: number, kind: LoadKind, values: LoadValues) => void): void {
    for (let series = 0; series < this.#places.length; series++) {
      const values = this.valuesOf(series);
      if (values !== undefined) visit(series, loadKinds[this.#kinds[series] ?? 0] ?? 'cluster', values);
    }
  }

  /** Returns undefined if the series has no values. */
  valuesOf(series: number): LoadValues | undefined {
    const place = (this.#places[series] ?? 0) - 1;
    if (place < 0) return undefined;
    const code = this.#kinds[series] ?? 0;
    const counters = counterCounts[code] ?? 0;
    const from = place + 1;
    return {
      at: Number(this.#numbers.get(place)),
      counters: this.#copy(from, counters),
      gauges: this.#copy(from + counters, gaugeCounts[code] ?? 0),
      sum: this.#sums.get(series) ?? 0,
    };
  }

  kindOf(series: number): LoadKind {
    return loadKinds[this.#kinds[series] ?? 0] ?? 'cluster';
  }

  #copy(from: number, count: number): Count[] {
    const copy: Count[] = [];
    for (let index = 0; index < count; index++) copy.push(this.#numbers.get(from + index));
    return copy;
  }

  #growSeries(series: number): void {
    const length = Math.max(series + 1, Math.ceil(this.#places.length * 1.5));
    const [places, kinds] = [new Int32Array(length), new Uint8Array(length)];
    places.set(this.#places);
    kinds.set(this.#kinds);
    this.#places = places;
    this.#kinds = kinds;
  }
}

/** Adds `values` to `sum` in place. Newer gauges replace older ones; gauges of the fleet are added. */
export function addSeries(sum: LoadValues, values: LoadValues, isOfFleet: boolean): void {
  for (const [index, value] of values.counters.entries()) {
    sum.counters[index] = addCounts(sum.counters[index] ?? 0, value);
  }
  const isNewest = values.at >= sum.at;
  for (const [index, value] of values.gauges.entries()) {
    if (isOfFleet) sum.gauges[index] = addCounts(sum.gauges[index] ?? 0, value);
    else if (isNewest) sum.gauges[index] = value;
  }
  sum.sum += values.sum;
  sum.at = Math.max(sum.at, values.at);
}
