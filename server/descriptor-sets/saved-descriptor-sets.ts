import { rmSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { ConfigError } from '../config-error';
import { makeDataFolder, readDataFile, writeDataFile } from '../data-dir';

const savedFile = z.array(z.object({ id: z.string().regex(/^[0-9a-f]{16}$/), name: z.string() }));

export interface SavedDescriptorSet {
  readonly id: string;
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Uploaded sets, stored in `descriptor-sets/` of the data dir: their bytes, and a list of their names. */
export class SavedDescriptorSets {
  readonly #dir: string;

  constructor(dataDir: string) {
    this.#dir = path.join(dataDir, 'descriptor-sets');
  }

  /** Throws ConfigError. */
  read(): SavedDescriptorSet[] {
    const list = readDataFile(this.#listFile());
    if (list === undefined) return [];
    return this.#parse(list).flatMap(({ id, name }) => {
      const bytes = readDataFile(this.#fileOf(id));
      return bytes === undefined ? [] : [{ id, name, bytes }];
    });
  }

  /** Throws ConfigError when it cannot be written. */
  write(sets: readonly SavedDescriptorSet[], added?: SavedDescriptorSet): void {
    makeDataFolder(this.#dir);
    if (added !== undefined) writeDataFile(this.#fileOf(added.id), added.bytes);
    writeDataFile(
      this.#listFile(),
      JSON.stringify(
        sets.map(({ id, name }) => ({ id, name })),
        null,
        2,
      ),
    );
  }

  /** Called after write() without the set. */
  forget(id: string): void {
    rmSync(this.#fileOf(id), { force: true });
  }

  #parse(list: Buffer): z.infer<typeof savedFile> {
    try {
      return savedFile.parse(JSON.parse(list.toString('utf8')));
    } catch {
      throw new ConfigError(
        `${this.#listFile()}: expected the list that xdscope saved there, got something else; without the file xdscope starts with none`,
      );
    }
  }

  #listFile(): string {
    return path.join(this.#dir, 'list.json');
  }

  #fileOf(id: string): string {
    return path.join(this.#dir, `${id}.binpb`);
  }
}
