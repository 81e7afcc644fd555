import { addCounts, type Count, parseCount } from '@/lib/load/count';
import type { LoadKind } from '@/lib/load/load-series';
import { type LoadValues, loadCounters, loadGauges, noLoadValues } from '@/lib/load/load-values';
import type { EpochMs } from '@/lib/xds/units';
import { ByteReader, ByteWriter } from '../../codec/byte-writer';

/** The positions are part of the format, so new kinds are appended. */
export const loadKinds: readonly LoadKind[] = ['cluster', 'drop', 'locality', 'endpoint', 'metric'];

const counterCounts = loadKinds.map((kind) => loadCounters[kind].length);
const gaugeCounts = loadKinds.map((kind) => loadGauges[kind].length);
const metricKind = loadKinds.indexOf('metric');

/**
 * Writes the values of series as varints: kind, series and time as differences from the previous value, counters,
 * gauges, and the sum of a metric as a double. A count of 2^52 or more is 1 followed by its digits, any other count is
 * twice itself.
 */
export class LoadBlockWriter {
  readonly #bytes = new ByteWriter();
  #series = 0;
  #at = 0;
  count = 0;
  size = 0;

  add(series: number, kind: LoadKind, { at, counters, gauges, sum }: LoadValues): void {
    const bytes = this.#bytes;
    bytes.varint(loadKinds.indexOf(kind));
    bytes.signed(series - this.#series);
    bytes.signed(at - this.#at);
    for (const value of counters) writeCount(bytes, value);
    for (const value of gauges) writeCount(bytes, value);
    if (kind === 'metric') bytes.double(sum);
    this.#series = series;
    this.#at = at;
    this.count += 1;
    // An estimate that bounds the waiting data.
    this.size += 4 + 2 * (counters.length + gauges.length);
  }

  finish(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#bytes.finish());
  }
}

/** Receives the values of a block in order: begin, counters, gauges, and the sum of a metric. */
export interface BlockReader {
  /** `code` is the position in `loadKinds`. Returns false to skip the value. */
  begin(series: number, code: number, at: EpochMs): boolean;
  counter(index: number, value: Count): void;
  gauge(index: number, value: Count): void;
  sum(value: number): void;
}

/** Reads each value of a block. Throws RangeError if the block is not valid. */
export function readLoadValues(
  block: Uint8Array,
  onValues: (series: number, kind: LoadKind, values: LoadValues) => void,
): void {
  let last: { series: number; kind: LoadKind; values: LoadValues } | undefined;
  const emit = (): void => {
    if (last !== undefined) onValues(last.series, last.kind, last.values);
  };
  addLoadBlock(block, (series, kind) => {
    emit();
    last = { series, kind, values: noLoadValues(kind) };
    return last.values;
  });
  emit();
}

export function readLoadBlock(block: Uint8Array, reader: BlockReader): void {
  const bytes = new ByteReader(block);
  let series = 0;
  let at = 0;
  while (!bytes.isAtEnd) {
    const code = bytes.varint();
    if (code >= loadKinds.length)
      throw new RangeError(`load block: expected a kind below ${loadKinds.length}, got ${code}`);
    series += bytes.signed();
    at += bytes.signed();
    const counters = counterCounts[code] ?? 0;
    const gauges = gaugeCounts[code] ?? 0;
    if (!reader.begin(series, code, at)) {
      for (let left = counters + gauges; left > 0; left--) skipCount(bytes);
      if (code === metricKind) bytes.skip(8);
      continue;
    }
    for (let index = 0; index < counters; index++) reader.counter(index, readCount(bytes));
    for (let index = 0; index < gauges; index++) reader.gauge(index, readCount(bytes));
    if (code === metricKind) reader.sum(bytes.double());
  }
}

/** Returns the sums to which the values of a series are added, or undefined to skip them. */
export type FindSum = (series: number, kind: LoadKind, at: EpochMs) => LoadValues | undefined;

/**
 * Adds a block to sums in place, without an object per value. The newest value of a gauge applies; gauges of
 * the fleet, whose series have negative numbers, are added.
 */
export function addLoadBlock(block: Uint8Array, findSum: FindSum): void {
  readLoadBlock(block, new SumAdder(findSum));
}

const none: Count[] = [];

class SumAdder implements BlockReader {
  readonly #findSum: FindSum;
  #sum: LoadValues | undefined;
  #counters = none;
  #gauges = none;
  #isNewest = false;
  #isOfFleet = false;

  constructor(findSum: FindSum) {
    this.#findSum = findSum;
  }

  begin(series: number, code: number, at: EpochMs): boolean {
    const sum = this.#findSum(series, loadKinds[code] ?? 'cluster', at);
    this.#sum = sum;
    if (sum === undefined) return false;
    this.#counters = sum.counters;
    this.#gauges = sum.gauges;
    this.#isNewest = at >= sum.at;
    this.#isOfFleet = series < 0;
    if (this.#isNewest) sum.at = at;
    return true;
  }

  counter(index: number, value: Count): void {
    if (value !== 0) this.#counters[index] = addCounts(this.#counters[index] ?? 0, value);
  }

  gauge(index: number, value: Count): void {
    if (this.#isOfFleet) this.#gauges[index] = addCounts(this.#gauges[index] ?? 0, value);
    else if (this.#isNewest) this.#gauges[index] = value;
  }

  sum(value: number): void {
    if (this.#sum !== undefined) this.#sum.sum += value;
  }
}

function writeCount(bytes: ByteWriter, value: Count): void {
  if (typeof value === 'number' && value < 2 ** 52) {
    bytes.varint(value * 2);
    return;
  }
  bytes.varint(1);
  bytes.text(String(value));
}

function readCount(bytes: ByteReader): Count {
  const value = bytes.varint();
  return value === 1 ? parseCount(bytes.text()) : value / 2;
}

function skipCount(bytes: ByteReader): void {
  if (bytes.varint() === 1) bytes.skip(bytes.varint());
}
