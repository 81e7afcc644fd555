import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

type LimitedFile =
  | { readonly kind: 'content'; readonly bytes: Buffer }
  | { readonly kind: 'rejected'; readonly reason: string };

/** Reads a regular file up to a size. Never waits for the writer of a pipe, and never rejects. */
export async function readLimitedFile(file: string, maxBytes: number): Promise<LimitedFile> {
  try {
    const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stat = await handle.stat();
      if (!stat.isFile())
        return rejected(`expected a file, got ${stat.isDirectory() ? 'a directory' : 'something else'}`);
      if (stat.size > maxBytes) return rejected(`expected at most ${maxBytes} bytes, got ${stat.size}`);
      const chunks: Buffer[] = [];
      let sizeBytes = 0;
      for await (const chunk of handle.createReadStream({ autoClose: false }) as AsyncIterable<Buffer>) {
        sizeBytes += chunk.length;
        // The file may have grown since stat().
        if (sizeBytes > maxBytes) return rejected(`expected at most ${maxBytes} bytes, got more`);
        chunks.push(chunk);
      }
      return { kind: 'content', bytes: Buffer.concat(chunks) };
    } finally {
      await handle.close();
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    return rejected(`expected a file that can be read, got ${code}`);
  }
}

function rejected(reason: string): LimitedFile {
  return { kind: 'rejected', reason };
}
