import { messageOf } from '@/lib/format/message-of';
import type { Clock } from '../../observe';
import { FileWatch } from '../../transport/watched-files/file-watch';
import { readLimitedFile } from '../../transport/watched-files/read-limited-file';
import { parseTargetList } from './parse-target-list';
import type { Found, TargetFinder } from './target-list';

const maxBytes = 32 * 1024 * 1024;

interface FileTargetFinderOptions {
  /** Absolute. */
  readonly path: string;
  readonly clock: Clock;
  readonly intervalMs?: number;
}

/** Targets of a file, which is read again when it is replaced, and every `intervalMs`. */
export class FileTargetFinder implements TargetFinder {
  readonly #options: FileTargetFinderOptions;
  readonly intervalMs: number;
  #watch: FileWatch | undefined;
  /** Incremented by each start and stop: a read that began before is ignored. */
  #era = 0;

  constructor(options: FileTargetFinderOptions) {
    this.#options = options;
    this.intervalMs = options.intervalMs ?? 2_000;
  }

  start(onFound: (found: Found) => void): void {
    const { path, clock } = this.#options;
    const era = ++this.#era;
    let newest: Buffer | undefined;
    let isReading = false;
    const read = async (): Promise<void> => {
      if (isReading) return;
      isReading = true;
      const result = await readLimitedFile(path, maxBytes);
      isReading = false;
      if (era !== this.#era) return;
      if (result.kind === 'content' && newest?.equals(result.bytes)) return;
      newest = result.kind === 'content' ? result.bytes : undefined;
      onFound(result.kind === 'content' ? readTargets(path, result.bytes) : failed(path, result.reason));
    };
    this.#watch = new FileWatch({
      path,
      watchedDirectory: null,
      clock,
      debounceMs: 100,
      pollIntervalMs: this.intervalMs,
      onCheck: () => void read(),
    });
    void this.#watch.start();
    void read();
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
    return failed(path, messageOf(cause));
  }
}

function failed(path: string, reason: string): Found {
  const hint =
    'The targets that were read before are still polled. The file has lines of host:port, or a list as JSON or YAML.';
  return { kind: 'failed', problem: { code: 'BAD_FILE', message: `${path}: ${reason}`, hint } };
}
