import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** Certificates of a whole company fit in; what is larger is another file. */
const maxBytes = 4 * 1024 * 1024;

/**
 * A regular file of a bearable size: a name may lead to a pipe that never ends, or to a disk. Throws an Error of one
 * line that repeats nothing of the content.
 */
export async function readCredentialFile(file: string): Promise<Buffer> {
  const quoted = JSON.stringify(file);
  // Without waiting: a pipe that nobody writes to would hold one of the few threads that files have.
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK).catch((cause: unknown) => {
    throw new Error(`expected a file at ${quoted}, got ${codeOf(cause)}`, { cause });
  });
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) throw new Error(`expected a file at ${quoted}, got something else`);
    if (stat.size > maxBytes) throw new Error(`expected at most 4 MiB in ${quoted}, got ${stat.size} bytes`);
    const content = Buffer.alloc(stat.size);
    const { bytesRead } = await handle.read(content, 0, stat.size, 0);
    return content.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : 'an error';
}
