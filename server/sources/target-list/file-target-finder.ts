import type { Clock } from '../../observe';
import { FileWatch } from '../../watched-files/file-watch';
import { readLimitedFile } from '../../watched-files/read-limited-file';
import { parseTargetList } from './parse-target-list';
import type { Found, TargetFinder } from './target-finder';

const maxBytes = 32 * 1024 * 1024;

export interface FileTargetFinderOptions {
  /** Absolute. */
  readonly path: string;
  readonly clock: Clock;
  readonly intervalMs?: number;
}

/** Targets of a file, which is read again when it is replaced, and compared every few seconds. */
export class FileTargetFinder implements TargetFinder {
  readonly intervalMs: number;
  #watch: FileWatch | undefined;
  /** Incremented by each start and stop: a read that began before is ignored. */
  #era = 0;

  constructor(private readonly options: FileTargetFinderOptions) {
    this.intervalMs = options.intervalMs ?? 2_000;
  }

  start(onFound: (found: Found) => void): void {
    const { path, clock } = this.options;
    const era = ++this.#era;
    let newest: Buffer | undefined;
    let isLooking = false;
    const look = async (): Promise<void> => {
      if (isLooking) return;
      isLooking = true;
      const read = await readLimitedFile(path, maxBytes);
      isLooking = false;
      if (era !== this.#era) return;
      if (read.kind === 'content' && newest?.equals(read.bytes)) return;
      newest = read.kind === 'content' ? read.bytes : undefined;
      onFound(read.kind === 'content' ? readTargets(path, read.bytes) : failed(path, read.reason));
    };
    this.#watch = new FileWatch({
      path,
      watchedDirectory: null,
      clock,
      debounceMs: 100,
      pollIntervalMs: this.intervalMs,
      onCheck: () => void look(),
    });
    void this.#watch.start();
    void look();
  }

  stop(): void {
    this.#era++;
    this.#watch?.stop();
    this.#watch = undefined;
  }
}

function readTargets(path: string, bytes: Buffer): Found {
  try {
    const { targets, problems } = parseTargetList(bytes.toString('utf8'));
    return { kind: 'targets', targets, notes: problems };
  } catch (cause) {
    return failed(path, cause instanceof Error ? cause.message : String(cause));
  }
}

function failed(path: string, reason: string): Found {
  const hint =
    'What was read before is still asked. The file has lines of host:port, or a list as JSON or YAML.';
  return { kind: 'failed', problem: { code: 'BAD_FILE', message: `${path}: ${reason}`, hint } };
}
