import { randomBytes } from 'node:crypto';
import { createWriteStream, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { sum } from 'd3';
import { makeDataFolder } from '../../data-dir';
import { FileTooLarge } from './import-errors';

interface ReceiveLimits {
  readonly maxBytes: number;
  /** Called with the number of received bytes. */
  readonly onBytes: (sizeBytes: number) => void;
  readonly signal: AbortSignal;
}

/** The path of a new file; creates the folder. */
export function uploadPath(dataDir: string, ending: string): string {
  const folder = path.join(dataDir, 'uploads');
  makeDataFolder(folder);
  return path.join(folder, `${randomBytes(8).toString('hex')}.${ending}`);
}

/** A file of an upload of several. */
export interface UploadPart {
  readonly name: string;
  readonly sizeBytes: number;
}

/**
 * Writes an upload that consists of several files, one after the other, to a new folder, which the caller removes. Returns the
 * paths. Throws FileTooLarge if the sizes do not add up to the upload.
 */
export async function receiveParts(
  folder: string,
  chunks: AsyncIterable<Uint8Array>,
  parts: readonly UploadPart[],
): Promise<string[]> {
  mkdirSync(folder, { mode: 0o700 });
  const paths = parts.map(({ name }) => path.join(folder, name));
  const expected = sum(parts, ({ sizeBytes }) => sizeBytes);
  const queue = parts.map(({ sizeBytes }, index) => ({ path: paths[index] ?? '', left: sizeBytes }));
  for (const { path: file } of queue) writeFileSync(file, '', { flag: 'wx', mode: 0o600 });
  let received = 0;
  for await (const chunk of chunks) {
    received += chunk.byteLength;
    if (received > expected)
      throw new FileTooLarge(`expected ${expected} bytes in ${parts.length} parts, got more`);
    let rest = chunk;
    while (rest.byteLength > 0) {
      const [part] = queue;
      if (part === undefined) break;
      const taken = rest.subarray(0, part.left);
      if (taken.byteLength > 0) await appendFile(part.path, taken);
      part.left -= taken.byteLength;
      rest = rest.subarray(taken.byteLength);
      if (part.left === 0) queue.shift();
    }
  }
  if (received < expected)
    throw new Error(`expected ${expected} bytes in ${parts.length} parts, got ${received}`);
  return paths;
}

/** Removes the files of a process that ended during an upload. */
export function removeLeftUploads(dataDir: string): void {
  rmSync(path.join(dataDir, 'uploads'), { recursive: true, force: true });
}

/** Node reports a closed connection only as "aborted". */
async function* orBrokenOff(
  chunks: AsyncIterable<Uint8Array>,
  sizeSoFar: () => number,
): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`the upload broke off after ${sizeSoFar()} bytes: ${reason}`, { cause });
  }
}

/** Passes the chunks through. Throws FileTooLarge, and the reason of `signal`. */
export async function* within(
  chunks: AsyncIterable<Uint8Array>,
  { maxBytes, onBytes, signal }: ReceiveLimits,
): AsyncGenerator<Uint8Array> {
  let sizeBytes = 0;
  for await (const chunk of orBrokenOff(chunks, () => sizeBytes)) {
    sizeBytes += chunk.byteLength;
    if (sizeBytes > maxBytes) throw new FileTooLarge(`expected at most ${maxBytes} bytes, got more`);
    signal.throwIfAborted();
    yield chunk;
    onBytes(sizeBytes);
  }
}

/** Chunks up to this size are buffered while the disk is busy. */
const writtenAheadBytes = 4 * 1024 * 1024;

/** Writes the chunks to a new file, which the caller removes. Returns the number of bytes. */
export async function receiveFile(file: string, chunks: AsyncIterable<Uint8Array>): Promise<number> {
  const out = createWriteStream(file, { flags: 'wx', mode: 0o600, highWaterMark: writtenAheadBytes });
  await pipeline(chunks, out);
  return out.bytesWritten;
}
