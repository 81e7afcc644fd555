import type { Clock } from '../../observe';

/** One RPC that has ended. */
interface EndedRpc {
  readonly method: string;
  readonly code: number;
  /** The name of the server that answered; empty if none did. */
  readonly peer: string;
}

interface MethodCount {
  started: number;
  readonly ended: Map<number, number>;
}

export interface BlockOfRpcs {
  readonly failed: number;
  readonly byPeer: ReadonlyMap<string, number>;
  readonly byMethod: ReadonlyMap<string, ReadonlyMap<string, number>>;
}

/** Waits for the RPCs with the numbers from `first` to `first + count - 1`. */
class BlockWatcher {
  readonly #last: number;
  #remaining: number;
  #failed = 0;
  readonly #byPeer = new Map<string, number>();
  readonly #byMethod = new Map<string, Map<string, number>>();
  readonly #first: number;

  constructor(first: number, count: number) {
    this.#first = first;
    this.#last = first + count - 1;
    this.#remaining = count;
  }

  get isComplete(): boolean {
    return this.#remaining === 0;
  }

  /** RPCs that have not ended count as failed. */
  get block(): BlockOfRpcs {
    return { failed: this.#failed + this.#remaining, byPeer: this.#byPeer, byMethod: this.#byMethod };
  }

  add(id: number, { method, code, peer }: EndedRpc): void {
    if (id < this.#first || id > this.#last) return;
    this.#remaining -= 1;
    // An RPC that succeeds without the name of a server counts as failed.
    if (code !== 0 || peer === '') {
      this.#failed += 1;
      return;
    }
    const ofMethod = this.#byMethod.get(method) ?? new Map<string, number>();
    this.#byMethod.set(method, ofMethod);
    addOne(this.#byPeer, peer);
    addOne(ofMethod, peer);
  }
}

/** The RPCs of a test client: counts since its start, and blocks of those that start after a request. */
export class RpcStatistics {
  readonly #clock: Clock;
  readonly #methods = new Map<string, MethodCount>();
  readonly #watchers = new Set<{ watcher: BlockWatcher; done: () => void }>();
  #nextId = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get methods(): ReadonlyMap<
    string,
    { readonly started: number; readonly ended: ReadonlyMap<number, number> }
  > {
    return this.#methods;
  }

  /** Returns the function that reports the end of the RPC. */
  start(method: string): (ended: { readonly code: number; readonly peer: string }) => void {
    const id = this.#nextId++;
    const count = this.#methods.get(method) ?? { started: 0, ended: new Map() };
    this.#methods.set(method, count);
    count.started += 1;
    return ({ code, peer }) => {
      addOne(count.ended, code);
      for (const { watcher, done } of this.#watchers) {
        watcher.add(id, { method, code, peer });
        if (watcher.isComplete) done();
      }
    };
  }

  /** Resolves when the next `count` RPCs have ended, or after `timeoutMs`. */
  countBlock(count: number, timeoutMs: number): Promise<BlockOfRpcs> {
    const watcher = new BlockWatcher(this.#nextId, count);
    return new Promise((resolve) => {
      const done = (): void => {
        timer.cancel();
        this.#watchers.delete(entry);
        resolve(watcher.block);
      };
      const timer = this.#clock.setTimeout(done, timeoutMs);
      const entry = { watcher, done };
      this.#watchers.add(entry);
      if (watcher.isComplete) done();
    });
  }
}

function addOne<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
