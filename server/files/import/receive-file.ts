import { randomBytes } from 'node:crypto';
import { createWriteStream, rmSync } from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { makeDataFolder } from '../../data-dir';
import { FileTooLarge } from './import-errors';

export interface ReceiveLimits {
  readonly maxBytes: number;
  /** Hears how many have come. */
  readonly onBytes: (sizeBytes: number) => void;
  readonly signal: AbortSignal;
}

/** A new file's name, in a folder that is there. */
export function uploadPath(dataDir: string, ending: string): string {
  const folder = path.join(dataDir, 'uploads');
  makeDataFolder(folder);
  return path.join(folder, `${randomBytes(8).toString('hex')}.${ending}`);
}

/** Of a process that ended in the middle of one. */
export function removeLeftUploads(dataDir: string): void {
  rmSync(path.join(dataDir, 'uploads'), { recursive: true, force: true });
}

/** A sender who goes away is reported by Node as "aborted". */
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

/** The same chunks, within their limits. Throws FileTooLarge, and what `signal` was aborted with. */
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

/** What comes while the disk is busy is written in one go. */
const writtenAheadBytes = 4 * 1024 * 1024;

/** Writes what comes to a new file, piece by piece; whoever named it removes it. Returns how many bytes it was. */
export async function receiveFile(file: string, chunks: AsyncIterable<Uint8Array>): Promise<number> {
  const out = createWriteStream(file, { flags: 'wx', mode: 0o600, highWaterMark: writtenAheadBytes });
  await pipeline(chunks, out);
  return out.bytesWritten;
}
