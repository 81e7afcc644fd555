import { randomBytes } from 'node:crypto';
import { createWriteStream, rmSync } from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
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
