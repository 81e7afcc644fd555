import { type FSWatcher, watch } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../observe';

export interface FileWatchOptions {
  readonly path: string;
  /** Any move in it is a reason to look; null: only a move of the file itself, in its own directory. */
  readonly watchedDirectory: string | null;
  readonly clock: Clock;
  /** Events within so long are one. */
  readonly debounceMs: number;
  /** How often to look without an event. */
  readonly pollIntervalMs: number;
  /** `isMoved`: something was moved, made or removed; else it is merely time to look. */
  readonly onCheck: (isMoved: boolean) => void;
}

/**
 * Says when to look at a file again. It watches the directory, not the file: a watch on the file would stay with the
 * old one when another is moved into its place. Events alone are not enough. Network and overlay file systems may have
 * none, a watched directory that is replaced falls silent, and there may be no watch left to have (inotify's limits):
 * so it also looks every few seconds, and watches anew what is another directory by then.
 */
export class FileWatch {
  readonly #directory: string;
  readonly #baseName: string | null;
  #watcher: FSWatcher | null = null;
  /** Of the directory that is watched. */
  #inode: string | null = null;
  #isStopped = false;
  #debounce: { cancel(): void } | null = null;
  #poll: { cancel(): void } | null = null;

  constructor(private readonly options: FileWatchOptions) {
    const { path: file, watchedDirectory } = options;
    this.#directory = watchedDirectory ?? path.dirname(file);
    this.#baseName = watchedDirectory === null ? path.basename(file) : null;
  }

  /** Resolves when the directory is watched, if it can be. */
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

  /** Looks once more, after the time in which events are one. */
  checkSoon(): void {
    this.#debounce ??= this.options.clock.setTimeout(() => {
      this.#debounce = null;
      this.options.onCheck(true);
    }, this.options.debounceMs);
  }

  #pollLater(): void {
    const { clock, pollIntervalMs, onCheck } = this.options;
    this.#poll = clock.setTimeout(() => {
      this.#pollLater();
      void this.#watch().then(() => {
        if (!this.#isStopped) onCheck(false);
      });
    }, pollIntervalMs);
  }

  /** MUTATES the watcher where it has not the directory that is there now. Never rejects. */
  async #watch(): Promise<void> {
    const inode = await findInode(this.#directory);
    if (this.#isStopped) return;
    if (this.#watcher !== null && inode === this.#inode) return;
    this.#unwatch();
    if (inode === null) return;
    try {
      const watcher = watch(this.#directory, { persistent: false }, (event, name) => {
        // "change" is a write: only what is moved counts. No name: the system does not say.
        const isOurs = name === null || this.#baseName === null || name === this.#baseName;
        if (event === 'rename' && isOurs) this.checkSoon();
      });
      watcher.on('error', () => this.#unwatch());
      this.#watcher = watcher;
      this.#inode = inode;
    } catch {
      // No watch to be had, or the directory is gone again: the next look tries anew.
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
    // Nothing there, or nothing that we may see: the file's own look says so in words.
    return null;
  }
}
