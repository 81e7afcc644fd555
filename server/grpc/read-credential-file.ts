import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** Certificates of a whole company fit in; what is larger is another file. */
const maxBytes = 4 * 1024 * 1024;

/**
 * A file of credentials that cannot be used. The message is shown to everybody who may see the source, so it names the file
 * by what it is for; `details` has path and cause, for whoever reads the log of xdscope.
 */
export class CredentialFileError extends Error {
  override readonly name = 'CredentialFileError';
  constructor(
    message: string,
    readonly details: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** As in "CA certificate file". */
export type CredentialFileRole = 'CA certificate' | 'certificate' | 'private key' | 'token';

/**
 * A regular file of a bearable size: a name may lead to a pipe that never ends, or to a disk. Throws a CredentialFileError
 * of one line that repeats nothing of the content.
 */
export async function readCredentialFile(file: string, role: CredentialFileRole): Promise<Buffer> {
  const fail = (details: string, cause?: unknown): CredentialFileError =>
    new CredentialFileError(
      `expected a readable ${role} file of at most 4 MiB, got none`,
      `${JSON.stringify(file)}: ${details}`,
      { cause },
    );
  // Without waiting: a pipe that nobody writes to would hold one of the few threads that files have.
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK).catch((cause: unknown) => {
    throw fail(codeOf(cause), cause);
  });
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) throw fail('not a regular file');
    if (stat.size > maxBytes) throw fail(`${stat.size} bytes`);
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
