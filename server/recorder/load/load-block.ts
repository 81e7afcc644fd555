import { type Count, parseCount } from '@/lib/load/count';
import { type ExactSum, zeroSum } from '@/lib/load/exact-sum';
import type { LoadKind } from '@/lib/load/load-series';
import { type LoadValues, loadCounters, loadGauges } from '@/lib/load/load-values';
import { ByteReader, ByteWriter } from '../byte-writer';

/** Their places are part of the format: append only. */
export const loadKinds: readonly LoadKind[] = ['cluster', 'drop', 'locality', 'endpoint', 'metric'];

const counterCounts = loadKinds.map((kind) => loadCounters[kind].length);
const gaugeCounts = loadKinds.map((kind) => loadGauges[kind].length);
const metricKind = loadKinds.indexOf('metric');

/**
 * Values of series, one after the other, as varints: kind, series and time as differences from the one before, counters,
 * gauges, and a metric's sum. A count of 2^52 or more is 1 and its digits, any other one twice itself.
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
    if (kind === 'metric') writeSum(bytes, sum);
    this.#series = series;
    this.#at = at;
    this.count += 1;
    // Near enough to bound what waits.
    this.size += 4 + 2 * (counters.length + gauges.length);
  }

  /** A copy of its own. */
  finish(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#bytes.finish());
  }
}

/** `isWanted`: the values of other series are passed over. */
export function readLoadBlock(
  block: Uint8Array,
  isWanted: (series: number) => boolean,
  tell: (series: number, kind: LoadKind, values: LoadValues) => void,
): void {
  const bytes = new ByteReader(block);
  let series = 0;
  let at = 0;
  while (!bytes.isAtEnd) {
    const code = bytes.varint();
    const kind = loadKinds[code];
    if (kind === undefined)
      throw new RangeError(`load block: expected a kind below ${loadKinds.length}, got ${code}`);
    series += bytes.signed();
    at += bytes.signed();
    const counters = counterCounts[code] ?? 0;
    const gauges = gaugeCounts[code] ?? 0;
    if (isWanted(series)) {
      const values: LoadValues = {
        at,
        counters: readCounts(bytes, counters),
        gauges: readCounts(bytes, gauges),
        sum: code === metricKind ? readSum(bytes) : zeroSum,
      };
      tell(series, kind, values);
    } else {
      for (let left = counters + gauges; left > 0; left--) skipCount(bytes);
      if (code === metricKind) readSum(bytes);
    }
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

function readCounts(bytes: ByteReader, length: number): Count[] {
  const counts: Count[] = [];
  for (let left = length; left > 0; left--) counts.push(readCount(bytes));
  return counts;
}

function skipCount(bytes: ByteReader): void {
  if (bytes.varint() === 1) bytes.text();
}

function writeSum(bytes: ByteWriter, { mantissa, exponent }: ExactSum): void {
  bytes.signed(exponent);
  bytes.signed(mantissa < 0n ? -1 : 1);
  bytes.text((mantissa < 0n ? -mantissa : mantissa).toString(16));
}

function readSum(bytes: ByteReader): ExactSum {
  const exponent = bytes.signed();
  const sign = BigInt(bytes.signed());
  const mantissa = sign * BigInt(`0x${bytes.text()}`);
  return mantissa === 0n ? zeroSum : { mantissa, exponent };
}
