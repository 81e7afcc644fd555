import { type FSWatcher, watch } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../../observe';

interface FileWatchOptions {
  readonly path: string;
  /** With a directory, any rename in it triggers a check; with null, only a rename of the file in its own directory. */
  readonly watchedDirectory: string | null;
  readonly clock: Clock;
  /** Events within this time trigger one check. */
  readonly debounceMs: number;
  /** Interval of the checks without an event. */
  readonly pollIntervalMs: number;
  /** `isMoved` is true if something was renamed, created or removed, and false for a periodic check. */
  readonly onCheck: (isMoved: boolean) => void;
}

/**
 * Triggers checks of a file. The directory is watched, because a watch on the file would stay with the old file after a
 * rename. Events are not sufficient: network and overlay file systems may send none, a replaced directory sends none,
 * and inotify's limits may prevent the watch. Therefore checks also run periodically, and a replaced directory is
 * watched anew.
 */
export class FileWatch {
  readonly #options: FileWatchOptions;
  readonly #directory: string;
  readonly #baseName: string | null;
  #watcher: FSWatcher | null = null;
  /** Device and inode of the watched directory. */
  #inode: string | null = null;
  #isStopped = false;
  #debounce: { cancel(): void } | null = null;
  #poll: { cancel(): void } | null = null;

  constructor(options: FileWatchOptions) {
    this.#options = options;
    const { path: file, watchedDirectory } = options;
    this.#directory = watchedDirectory ?? path.dirname(file);
    this.#baseName = watchedDirectory === null ? path.basename(file) : null;
  }

  /** Resolves when the directory is watched, if that is possible. */
  async start(): Promise<void> {
    this.#pollLater();
    await this.#watch();
  }

  stop(): void {
    this.#isStopped = true;
    this.#unwatch();
    this.#debounce?.cancel();
    this.#debounce = null;
    this.#poll?.cancel();
    this.#poll = null;
  }

  /** Triggers a check after the debounce time. */
  checkSoon(): void {
    this.#debounce ??= this.#options.clock.setTimeout(() => {
      this.#debounce = null;
      this.#options.onCheck(true);
    }, this.#options.debounceMs);
  }

  #pollLater(): void {
    const { clock, pollIntervalMs, onCheck } = this.#options;
    this.#poll = clock.setTimeout(() => {
      this.#pollLater();
      void this.#watch().then(() => {
        if (!this.#isStopped) onCheck(false);
      });
    }, pollIntervalMs);
  }

  /** Watches the current directory, if it is not watched already. Never rejects. */
  async #watch(): Promise<void> {
    const inode = await findInode(this.#directory);
    if (this.#isStopped) return;
    if (this.#watcher !== null && inode === this.#inode) return;
    this.#unwatch();
    if (inode === null) return;
    try {
      const watcher = watch(this.#directory, { persistent: false }, (event, name) => {
        // A write ("change") triggers no check. The name is null if the system does not report it.
        const isOurs = name === null || this.#baseName === null || name === this.#baseName;
        if (event === 'rename' && isOurs) this.checkSoon();
      });
      watcher.on('error', () => this.#unwatch());
      this.#watcher = watcher;
      this.#inode = inode;
    } catch {
      // The directory cannot be watched, or was removed; the next check tries again.
      this.#inode = null;
    }
  }

  #unwatch(): void {
    this.#watcher?.close();
    this.#watcher = null;
    this.#inode = null;
  }
}

async function findInode(directory: string): Promise<string | null> {
  try {
    const found = await stat(directory, { bigint: true });
    return found.isDirectory() ? `${found.dev}:${found.ino}` : null;
  } catch {
    // The directory is missing or inaccessible, which the check of the file reports.
    return null;
  }
}
