import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { largestImportBytes } from '@/lib/api/exports';
import type { Source } from '@/lib/api/schema';
import { formatIsoTime } from '@/lib/format/iso-time';
import type { World } from '@/lib/observation/fold';
import { isImportedClient } from '../client-id';
import { fileOfSource, ImportNames, labelOf } from '../dumps/import-names';
import { importRecording } from '../dumps/import-recording';
import { readXdscopeFile } from '../dumps/xdscope-file/read-file';
import type { Clock, Observe } from '../observe';
import { initialSourceStatus, type RunningSource, type SourceStatus } from '../source-status';
import { describeSource } from '../sources/describe-source';
import type { SourceRegistry } from '../sources/source-registry';
import { receiveFile, removeLeftUploads } from './receive-file';
import { recogniseFile, startBytes } from './recognise-file';
import type { SavedImport, SavedImports } from './saved-imports';

export interface ImportsOptions {
  readonly dataDir: string;
  readonly clock: Clock;
  readonly saved: SavedImports;
  readonly registry: SourceRegistry;
  readonly observe: Observe;
  /** Resolves when what was observed is on the disk, or will not be. */
  readonly stored: () => Promise<void>;
  /** A log forgets what is old: what a file holds is kept until the file is removed. undefined: it cannot be. */
  readonly keep: (range: { from: number; to: number }, label: string) => Promise<number | undefined>;
  readonly release: (pinId: number) => Promise<void>;
  /** Takes a client out of what is shown. */
  readonly forget: (clientId: string) => void;
}

/** A file that is of none of the kinds that can be imported. */
export class UnknownFile extends Error {
  override readonly name = 'UnknownFile';
}

/** Files that were imported: each is a source, whose clients are seen as any others. */
export class Imports {
  #imports: SavedImport[];
  /** Labels of those that are being read. */
  readonly #coming = new Set<string>();

  constructor(private readonly options: ImportsOptions) {
    removeLeftUploads(options.dataDir);
    this.#imports = options.saved.read();
    for (const each of this.#imports) this.#show(each);
  }

  has(sourceId: string): boolean {
    return this.#imports.some(({ label }) => new ImportNames(label).sourceId === sourceId);
  }

  /**
   * Reads an upload into the log. Throws FileTooLarge, UnknownFile and XdscopeFileError; what is damaged in part is
   * imported as far as it goes, and its source says what is missing.
   */
  async add(name: string, chunks: AsyncIterable<Uint8Array>): Promise<Source> {
    const received = await receiveFile(this.options.dataDir, chunks, largestImportBytes);
    try {
      return await this.#read(name, received.path, received.sizeBytes);
    } finally {
      received.remove();
    }
  }

  /** The same with a file that is there already, and stays. */
  async addFile(file: string): Promise<Source> {
    const handle = await open(file);
    const { size } = await handle.stat().finally(() => handle.close());
    return this.#read(path.basename(file), file, size);
  }

  async remove(sourceId: string): Promise<void> {
    const found = this.#imports.find(({ label }) => new ImportNames(label).sourceId === sourceId);
    if (found === undefined) return;
    this.#save(this.#imports.filter((each) => each !== found));
    for (const clientId of Object.keys(found.clients)) this.options.forget(clientId);
    if (found.pinId !== undefined) await this.options.release(found.pinId);
    await this.options.registry.remove(sourceId);
  }

  async #read(name: string, file: string, sizeBytes: number): Promise<Source> {
    await assertKnown(file);
    const { registry, observe, stored, clock } = this.options;
    const label = labelOf(name, (tried) => this.#isTaken(tried));
    this.#coming.add(label);
    const names = new ImportNames(label);
    try {
      const result = await importRecording(readXdscopeFile(createReadStream(file)), {
        names,
        observe,
        stored,
      });
      const { header, observations, bodies, from, to, lost, notes } = result;
      const clients = Object.fromEntries([...result.clients].map(([id, { lastAt }]) => [id, lastAt]));
      const madeBy = header?.madeBy ?? '';
      const told = [...lost.map((reason) => `lost: ${reason}`), ...notes];
      const added = { label, addedAt: clock.now(), sizeBytes, observations, bodies, from, to, madeBy };
      const pinId = result.told === null ? undefined : await this.options.keep(result.told, label);
      if (pinId === undefined)
        told.push('not kept beyond the limits of the recording: there are too many pins');
      const saved: SavedImport = { ...added, notes: told, clients, pinId };
      this.#save([...this.#imports, saved]);
      const source = this.#show(saved);
      return registry.find(source.id) ?? source;
    } finally {
      this.#coming.delete(label);
    }
  }

  #isTaken(label: string): boolean {
    return this.#coming.has(label) || this.#imports.some((each) => each.label === label);
  }

  #save(imports: SavedImport[]): void {
    this.options.saved.write(imports);
    this.#imports = imports;
  }

  #show(saved: SavedImport): Source {
    const { label } = saved;
    const named = { kind: 'file', target: label, label, origin: 'browser' } as const;
    return this.options.registry.add(describeSource(named, null), () => new FileSource(statusOf(saved)));
  }
}

/** Clients whose file was removed, and which the log still tells of, are no clients any more. MUTATES `world`. */
export function dropRemovedFiles(world: World, imports: readonly SavedImport[]): void {
  const known = new Set(imports.map(({ label }) => new ImportNames(label).sourceId));
  for (const [clientId, { reports }] of world) {
    if (!isImportedClient(clientId)) continue;
    const files = [...reports.values()].map(({ sourceId }) => fileOfSource(sourceId) ?? '');
    if (!files.some((file) => known.has(file))) world.delete(clientId);
  }
}

async function assertKnown(file: string): Promise<void> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(startBytes), 0, startBytes, 0);
    const start = buffer.subarray(0, bytesRead);
    if (recogniseFile(start) !== undefined) return;
    const got = bytesRead === 0 ? 'an empty file' : `a file that begins with ${start.toString('hex', 0, 8)}`;
    throw new UnknownFile(`expected an .xdscope file, got ${got}`);
  } finally {
    await handle.close();
  }
}

function statusOf(saved: SavedImport): SourceStatus {
  const { from, to, observations, bodies, madeBy, sizeBytes, addedAt, notes, clients } = saved;
  const range = from === null || to === null ? '' : `, ${formatIsoTime(from)} to ${formatIsoTime(to)}`;
  const what = `${observations} observations and ${bodies} resource bodies${range}`;
  return {
    ...initialSourceStatus,
    state: 'up',
    notes: [madeBy === '' ? what : `${what}, exported by ${madeBy}`, ...notes],
    lastAttemptAt: addedAt,
    lastSuccessAt: addedAt,
    answerBytes: sizeBytes,
    answers: 1,
    clients: new Map(Object.entries(clients)),
  };
}

/** Nothing runs: all that it had to say is in the log. */
class FileSource implements RunningSource {
  constructor(readonly status: SourceStatus) {}
  start(): void {}
  pause(): void {}
  resume(): void {}
  async close(): Promise<void> {}
}
