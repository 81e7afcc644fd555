import {
  closeSync,
  createReadStream,
  createWriteStream,
  openSync,
  readSync,
  renameSync,
  statSync,
} from 'node:fs';
import { Transform, type TransformCallback } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { Decompress } from 'fzstd';

/** Limit of the unpacked size, because a few packed bytes can stand for gigabytes. */
export const largestUnpackedBytes = 512 * 1024 * 1024;

/** A smaller result is not compared with the packed size. */
const unsuspiciousBytes = 10 * 1024 * 1024;
const largestRatio = 200;

/** Limits the unpacked size of a file of `packedBytes`, however often it is packed. */
export function maxUnpackedBytes(packedBytes: number, maxBytes: number): number {
  return Math.min(maxBytes, Math.max(unsuspiciousBytes, largestRatio * packedBytes));
}

/** A packed file may be packed once more, as by a proxy or by a tool that does not look at the file. */
const mostLayers = 2;

export type Packing = 'gzip' | 'zstd';

/** Number of leading bytes that identify a packing. */
const packingBytes = 4;

/** Identifies the packing by the first bytes. */
export function findPacking(start: Buffer): Packing | undefined {
  if (start.length < packingBytes) return undefined;
  if (start[0] === 0x1f && start[1] === 0x8b) return 'gzip';
  return start.readUInt32LE() === 0xfd2fb528 ? 'zstd' : undefined;
}

interface UnpackedFile {
  readonly file: string;
  /** The outermost layer is first. */
  readonly layers: readonly Packing[];
  /** The reason why the end is missing, empty for a complete file. */
  readonly cut: string;
}

/**
 * Unpacks gzip and zstd. A truncated or damaged file is unpacked as far as possible. Throws an Error if the result is
 * empty or too large.
 */
export async function unpackFile(
  file: string,
  target: string,
  onProgress: (unpackedBytes: number) => void,
  maxBytes = largestUnpackedBytes,
): Promise<UnpackedFile> {
  const layers: Packing[] = [];
  let from = file;
  let cut = '';
  for (let layer = packingOf(from); layer !== undefined; layer = packingOf(from)) {
    if (layers.length === mostLayers) {
      const got = [...layers, layer].join(' of ');
      throw new Error(`expected a file that is packed at most ${mostLayers} times, got ${got}`);
    }
    const bound = new Bound(onProgress, statSync(file).size, maxBytes);
    const next = `${target}.next`;
    try {
      const unpack = layer === 'gzip' ? createGunzip() : unzstd;
      await pipeline(createReadStream(from), unpack, bound, createWriteStream(next, { mode: 0o600 }));
    } catch (error) {
      if (error instanceof TooLarge || bound.bytes === 0) throw explain(error, layer);
      cut = `the ${layer} breaks off after ${bound.bytes} unpacked bytes: ${messageOf(error)}`;
    }
    renameSync(next, target);
    from = target;
    layers.push(layer);
  }
  return { file: from, layers, cut };
}

class TooLarge extends Error {}

function explain(error: unknown, layer: string): Error {
  return error instanceof TooLarge
    ? error
    : new Error(`expected ${layer}, got something else: ${messageOf(error)}`);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function packingOf(file: string): Packing | undefined {
  const descriptor = openSync(file, 'r');
  try {
    const start = Buffer.alloc(packingBytes);
    readSync(descriptor, start, 0, packingBytes, 0);
    return findPacking(start);
  } finally {
    closeSync(descriptor);
  }
}

/** Passes bytes through up to the limit. */
class Bound extends Transform {
  readonly #onProgress: (bytes: number) => void;
  readonly #packedBytes: number;

  bytes = 0;
  readonly #maxBytes: number;

  constructor(onProgress: (bytes: number) => void, packedBytes: number, maxBytes: number) {
    super();
    this.#onProgress = onProgress;
    this.#packedBytes = packedBytes;

    this.#maxBytes = maxUnpackedBytes(packedBytes, maxBytes);
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    this.bytes += chunk.length;
    if (this.bytes > this.#maxBytes) {
      const packed = `${this.#packedBytes} packed bytes, of which each may stand for ${largestRatio}`;
      done(
        new TooLarge(
          `expected at most ${this.#maxBytes} bytes once unpacked (${packed}), got at least ${this.bytes}`,
        ),
      );
      return;
    }
    this.#onProgress(this.bytes);
    done(null, chunk);
  }
}

/** Input per step: a few packed bytes can expand to 128 KiB, and all output of a step is held in memory. */
const zstdStepBytes = 4 * 1024;

/** Unpacks piece by piece on demand. Node has zstd from version 22 on. */
export async function* unzstd(packed: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let unpacked: Buffer[] = [];
  const decompress = new Decompress((chunk) => {
    // The chunk is a view of a window that is reused.
    if (chunk.length > 0) unpacked.push(Buffer.from(chunk));
  });
  for await (const chunk of packed) {
    for (let at = 0; at < chunk.length; at += zstdStepBytes) {
      decompress.push(chunk.subarray(at, at + zstdStepBytes));
      yield* unpacked;
      unpacked = [];
    }
  }
  decompress.push(new Uint8Array(), true);
  yield* unpacked;
}
