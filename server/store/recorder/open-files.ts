import { statSync } from 'node:fs';
import { errorCodeOf, RecorderError } from './recorder-error';

export const notInPlaceCode = 'NOT_IN_PLACE';

/**
 * Stores the identity of files and folders as of their opening. Writes to an open file are lost once the file, or a
 * folder above it, was deleted, replaced or moved, because nothing is at its path.
 */
export class OpenFiles {
  readonly #opened: readonly { readonly file: string; readonly identity: string }[];

  constructor(files: readonly string[]) {
    this.#opened = files.flatMap((file) => {
      const identity = identityOf(file);
      return identity === undefined ? [] : [{ file, identity }];
    });
  }

  /** Throws a RecorderError that names the first file that is no longer at its path. */
  assertInPlace(): void {
    for (const { file, identity } of this.#opened) {
      const found = identityOf(file);
      if (found === identity) continue;
      const what = found === undefined ? 'was deleted or moved' : 'was replaced by another one';
      throw new RecorderError(
        notInPlaceCode,
        `${file} ${what} while xdscope uses it: put it back, or restart xdscope to begin a new recording there`,
      );
    }
  }
}

/** Returns undefined if there is no such file. */
function identityOf(file: string): string | undefined {
  try {
    const { dev, ino } = statSync(file, { bigint: true });
    return `${dev}:${ino}`;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCodeOf(error))) return undefined;
    throw error;
  }
}
