import { randomBytes } from 'node:crypto';
import { createWriteStream, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';

export interface ReceivedFile {
  readonly path: string;
  readonly sizeBytes: number;
  remove(): void;
}

export interface ReceiveLimits {
  readonly maxBytes: number;
  /** Hears how many have come. */
  readonly onBytes: (sizeBytes: number) => void;
  readonly signal: AbortSignal;
}

export class FileTooLarge extends Error {
  override readonly name = 'FileTooLarge';
}

/** Writes what comes to a file of its own in the data dir, piece by piece. Throws FileTooLarge; then nothing is left. */
export async function receiveFile(
  dataDir: string,
  chunks: AsyncIterable<Uint8Array>,
  limits: ReceiveLimits,
): Promise<ReceivedFile> {
  const file = uploadPath(dataDir, 'upload');
  const remove = (): void => rmSync(file, { force: true });
  try {
    return { path: file, sizeBytes: await writeAll(file, chunks, limits), remove };
  } catch (error) {
    remove();
    throw error;
  }
}

/** A new file's name, in a folder that is there. */
export function uploadPath(dataDir: string, ending: string): string {
  const folder = path.join(dataDir, 'uploads');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return path.join(folder, `${randomBytes(8).toString('hex')}.${ending}`);
}

/** Of a process that ended in the middle of one. */
export function removeLeftUploads(dataDir: string): void {
  rmSync(path.join(dataDir, 'uploads'), { recursive: true, force: true });
}

/** What comes while the disk is busy is written in one go. */
const writtenAheadBytes = 4 * 1024 * 1024;

async function writeAll(
  file: string,
  chunks: AsyncIterable<Uint8Array>,
  { maxBytes, onBytes, signal }: ReceiveLimits,
): Promise<number> {
  let sizeBytes = 0;
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      sizeBytes += chunk.byteLength;
      if (sizeBytes > maxBytes) throw new FileTooLarge(`expected at most ${maxBytes} bytes, got more`);
      signal.throwIfAborted();
      yield chunk;
      onBytes(sizeBytes);
    }
  }
  const out = createWriteStream(file, { flags: 'wx', mode: 0o600, highWaterMark: writtenAheadBytes });
  await pipeline(counted, out);
  return sizeBytes;
}
