import type * as z from 'zod';
import { Turns } from '../turns';
import type { StateStore } from './state';

/** A value of the state: its key, what is accepted, and what there is before the first change. */
export interface StateEntry<T> {
  readonly key: string;
  readonly schema: z.ZodType<T>;
  readonly initial: T;
}

/** Attempts to replace a value that other processes change at the same time. */
const mostAttempts = 20;

/** One value of the state that this process also has in memory. */
export class KeptValue<T> {
  readonly #store: StateStore;
  readonly #entry: StateEntry<T>;
  #value: T;
  #version: number;
  /** Changes are made one after the other. */
  readonly #turns = new Turns();

  private constructor(store: StateStore, entry: StateEntry<T>, value: T, version: number) {
    this.#store = store;
    this.#entry = entry;
    this.#value = value;
    this.#version = version;
  }

  static async open<T>(store: StateStore, entry: StateEntry<T>): Promise<KeptValue<T>> {
    const { value, version } = (await store.get(entry.key, entry.schema)) ?? initialOf(entry);
    return new KeptValue(store, entry, value, version);
  }

  get value(): T {
    return this.#value;
  }

  /**
   * Resolves when the result of `update` is stored, and `value` is it; rejects with the error of the store or of
   * `update`, and `value` is what it was. `update` is called again if another process changed the value in between.
   */
  change(update: (before: T) => T): Promise<void> {
    return this.#turns.take(() => this.#change(update));
  }

  /** Reads what another process has stored since. Resolves with whether the value is another one. */
  refresh(): Promise<boolean> {
    return this.#turns.take(async () => {
      if ((await this.#store.versionOf(this.#entry.key)) === this.#version) return false;
      await this.#read();
      return true;
    });
  }

  async #read(): Promise<void> {
    const { key, schema } = this.#entry;
    const { value, version } = (await this.#store.get(key, schema)) ?? initialOf(this.#entry);
    this.#value = value;
    this.#version = version;
  }

  async #change(update: (before: T) => T): Promise<void> {
    const { key } = this.#entry;
    for (let attempt = 1; ; attempt++) {
      const next = update(this.#value);
      const written = await this.#store.put(key, next, this.#version);
      if (written.ok) {
        this.#value = next;
        this.#version += 1;
        return;
      }
      if (attempt === mostAttempts)
        throw new Error(`${key}: expected version ${this.#version}, got ${written.conflict.version}`);
      await this.#read();
    }
  }
}

function initialOf<T>({ initial }: StateEntry<T>): { readonly value: T; readonly version: number } {
  return { value: initial, version: 0 };
}
