import { existsSync, readFileSync, statSync } from 'node:fs';

const headerBytes = 32;
const frameHeaderBytes = 24;
const magics = [0x377f0682, 0x377f0683];

/**
 * Describes damage of the write-ahead log of a closed database; undefined: none can be found. SQLite itself reads a damaged
 * log up to the damage, and silently drops the rest, although it was acknowledged.
 *
 * The index beside it (-shm) contains the number of committed frames, which were on the disk before. SQLite creates the
 * index after the log, and removes it before the log, so an index alone means that the log was lost.
 */
export function findWalDamage(file: string): string | undefined {
  const index = readIndex(`${file}-shm`);
  if (!existsSync(`${file}-wal`)) {
    return index === undefined ? undefined : `its write-ahead log ${file}-wal is missing`;
  }
  const size = statSync(`${file}-wal`).size;
  const log = size === 0 ? Buffer.alloc(0) : readFileSync(`${file}-wal`);
  const name = `its write-ahead log ${file}-wal`;
  if (log.length < headerBytes) {
    const isExpected = index !== undefined && index.frames > 0;
    return isExpected ? `${name}: expected ${index.frames} frames, got ${log.length} bytes` : undefined;
  }
  const frames = countFrames(log);
  if (frames === undefined) return `${name}: expected a header of SQLite, got something else`;
  if (index === undefined || !index.salt.equals(log.subarray(16, 24))) return undefined;
  return index.frames > frames
    ? `${name}: expected ${index.frames} frames, got ${frames} before the first that is damaged or missing`
    : undefined;
}

/** Reads the header, which exists twice with a checksum. undefined if neither is complete, as after a power cut. */
function readIndex(file: string): { readonly frames: number; readonly salt: Buffer } | undefined {
  if (!existsSync(file)) return undefined;
  const bytes = readFileSync(file).subarray(0, 96);
  const isWhole = bytes.length === 96 && bytes.subarray(0, 48).equals(bytes.subarray(48, 96));
  if (!isWhole || bytes.readUInt8(12) !== 1) return undefined;
  const sum = new FrameSum(true);
  sum.add(bytes, 0, 40);
  if (sum.first !== bytes.readUInt32LE(40) || sum.second !== bytes.readUInt32LE(44)) return undefined;
  return { frames: bytes.readUInt32LE(16), salt: bytes.subarray(32, 40) };
}

/** Counts complete frames from the first one on. Returns undefined if the header is damaged. */
function countFrames(log: Buffer): number | undefined {
  const magic = log.readUInt32BE(0);
  if (!magics.includes(magic)) return undefined;
  const sum = new FrameSum(magic === magics[0]);
  sum.add(log, 0, 24);
  if (sum.first !== log.readUInt32BE(24) || sum.second !== log.readUInt32BE(28)) return undefined;
  const pageBytes = log.readUInt32BE(8);
  const frameBytes = frameHeaderBytes + pageBytes;
  let frames = 0;
  for (let at = headerBytes; at + frameBytes <= log.length; at += frameBytes) {
    if (!log.subarray(at + 8, at + 16).equals(log.subarray(16, 24))) break;
    sum.add(log, at, 8);
    sum.add(log, at + frameHeaderBytes, pageBytes);
    if (sum.first !== log.readUInt32BE(at + 16) || sum.second !== log.readUInt32BE(at + 20)) break;
    frames += 1;
  }
  return frames;
}

/** SQLite's checksum of a write-ahead log (file format, 4.2), over 32-bit words in the byte order of its magic. */
class FrameSum {
  readonly #isLittleEndian: boolean;

  first = 0;
  second = 0;

  constructor(isLittleEndian: boolean) {
    this.#isLittleEndian = isLittleEndian;
  }

  /** Precondition: `length` is a multiple of 8. */
  add(bytes: Buffer, from: number, length: number): void {
    let { first, second } = this;
    for (let at = from; at < from + length; at += 8) {
      const [one, two] = this.#isLittleEndian
        ? [bytes.readUInt32LE(at), bytes.readUInt32LE(at + 4)]
        : [bytes.readUInt32BE(at), bytes.readUInt32BE(at + 4)];
      first = (first + one + second) >>> 0;
      second = (second + two + first) >>> 0;
    }
    this.first = first;
    this.second = second;
  }
}
