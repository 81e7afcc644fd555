import { readFileSync } from 'node:fs';
import path from 'node:path';
import { messageOf } from '@/lib/format/message-of';
import type { DescriptorSet } from '@/lib/views/sources/descriptor-set-schema';
import type { Codec, UserType } from '../../codec/codec';
import { sha256 } from '../../codec/sha256';
import { ConfigError } from '../../config-error';
import { Turns } from '../../turns';
import type { SavedDescriptorSet, SavedDescriptorSets } from './saved-descriptor-sets';

interface Held {
  readonly reported: DescriptorSet;
  readonly bytes: Uint8Array;
  readonly types: readonly UserType[];
}

interface DescriptorSetsOptions {
  readonly codec: Codec;
  readonly saved: SavedDescriptorSets;
  /** Called when types have changed, so that decoded results are invalid. */
  readonly onChange: (types: readonly UserType[]) => void;
}

type AddedDescriptorSet =
  | { readonly ok: true; readonly set: DescriptorSet }
  | { readonly ok: false; readonly reason: string };

/** The descriptor sets of flags and uploads, in this order. Each set is checked against those before it. */
export class DescriptorSets {
  readonly #options: DescriptorSetsOptions;
  #held: readonly Held[] = [];
  /** Serialises changes, because each is checked against the result of the one before. */
  readonly #turns = new Turns();

  constructor(options: DescriptorSetsOptions) {
    this.#options = options;
  }

  /** Throws ConfigError for an invalid set of a flag. A saved set that is invalid is listed with its problem. */
  async open(files: readonly string[]): Promise<void> {
    const held: Held[] = [];
    for (const file of files) {
      const bytes = readFlagFile(file);
      const next = await this.#check({ id: idOf(bytes), name: path.basename(file), bytes }, 'flag', held);
      if (next.reported.problem !== undefined)
        throw new ConfigError(`--descriptor-set ${file}: ${next.reported.problem}`);
      if (!held.some(({ reported }) => reported.id === next.reported.id)) held.push(next);
    }
    for (const saved of this.#options.saved.read()) {
      if (!held.some(({ reported }) => reported.id === saved.id))
        held.push(await this.#check(saved, 'browser', held));
    }
    if (held.length > 0) this.#use(held);
  }

  list(): DescriptorSet[] {
    return this.#held.map(({ reported }) => reported);
  }

  add(name: string, bytes: Uint8Array): Promise<AddedDescriptorSet> {
    return this.#turns.take(async () => {
      const id = idOf(bytes);
      const known = this.#held.find(({ reported }) => reported.id === id);
      if (known !== undefined) return { ok: true, set: known.reported };
      const next = await this.#check({ id, name, bytes }, 'browser', this.#held);
      if (next.reported.problem !== undefined) return { ok: false, reason: next.reported.problem };
      const held = [...this.#held, next];
      // A set that cannot be saved is not used.
      await this.#options.saved.write(uploadsOf(held));
      this.#use(held);
      return { ok: true, set: next.reported };
    });
  }

  /** False if no uploaded set has this id. The other sets are checked again, since they may depend on it. */
  remove(id: string): Promise<boolean> {
    return this.#turns.take(async () => {
      const removed = this.#held.find(({ reported }) => reported.id === id);
      if (removed === undefined || removed.reported.origin !== 'browser') return false;
      const held: Held[] = [];
      for (const { reported, bytes } of this.#held) {
        if (reported.id !== id) held.push(await this.#check({ ...reported, bytes }, reported.origin, held));
      }
      await this.#options.saved.write(uploadsOf(held));
      this.#use(held);
      return true;
    });
  }

  async #check(
    { id, name, bytes }: SavedDescriptorSet,
    origin: DescriptorSet['origin'],
    before: readonly Held[],
  ): Promise<Held> {
    const others = before.flatMap(({ types }) => types);
    const checked = await this.#options.codec.checkDescriptorSet(bytes, others);
    const common = { id, name, origin, sizeBytes: bytes.length };
    if (!checked.ok) {
      return {
        reported: { ...common, files: [], types: [], skipped: [], problem: checked.reason },
        bytes,
        types: [],
      };
    }
    const reported = {
      ...common,
      files: [...checked.files],
      types: checked.types.map((type) => type.name),
      skipped: [...checked.skipped],
      problem: undefined,
    };
    return { reported, bytes, types: checked.types };
  }

  #use(held: readonly Held[]): void {
    this.#held = held;
    const types = held.flatMap((each) => each.types);
    this.#options.codec.setUserTypes(types);
    this.#options.onChange(types);
  }
}

function uploadsOf(held: readonly Held[]): SavedDescriptorSet[] {
  return held
    .filter(({ reported }) => reported.origin === 'browser')
    .map(({ reported: { id, name }, bytes }) => ({ id, name, bytes }));
}

function idOf(bytes: Uint8Array): string {
  return sha256(bytes).slice(0, 16);
}

function readFlagFile(file: string): Uint8Array {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw new ConfigError(
      `--descriptor-set ${file}: expected a file that can be read, got: ${messageOf(cause)}`,
    );
  }
}
