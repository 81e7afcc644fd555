import { statSync } from 'node:fs';
import { errorCodeOf, RecorderError } from './recorder-error';

export const notInPlaceCode = 'NOT_IN_PLACE';

/**
 * Files and folders that this process uses, each as it was when it was opened. What is written to an open file after
 * somebody has deleted, replaced or moved it (or a folder above it) is lost with the process: nobody finds it at its path.
 */
export class OpenFiles {
  readonly #opened: readonly { readonly file: string; readonly identity: string }[];

  constructor(files: readonly string[]) {
    this.#opened = files.flatMap((file) => {
      const identity = identityOf(file);
      return identity === undefined ? [] : [{ file, identity }];
    });
  }

  /** Throws a RecorderError that names the first of them whose path leads to nothing, or to another file. */
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

/** Of the file that a path leads to; undefined: there is none. */
function identityOf(file: string): string | undefined {
  try {
    const { dev, ino } = statSync(file, { bigint: true });
    return `${dev}:${ino}`;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCodeOf(error))) return undefined;
    throw error;
  }
}
