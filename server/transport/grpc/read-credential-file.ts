import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

const maxBytes = 4 * 1024 * 1024;

/**
 * A credential file cannot be used. Everyone who may see the source sees the message, so it names the file by its role;
 * `details` contains the path and the cause and goes only to the log of xdscope.
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

type CredentialFileRole = 'CA certificate' | 'certificate' | 'private key' | 'token' | 'header';

/** Reads a regular file of at most 4 MiB. Rejects with a CredentialFileError of one line without any of the content. */
export async function readCredentialFile(file: string, role: CredentialFileRole): Promise<Buffer> {
  const fail = (details: string, cause?: unknown): CredentialFileError =>
    new CredentialFileError(
      `expected a readable ${role} file of at most 4 MiB, got none`,
      `${JSON.stringify(file)}: ${details}`,
      { cause },
    );
  // Opening a pipe without a writer would otherwise block a thread of libuv's pool.
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
