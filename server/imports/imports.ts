import { rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { largestImportBytes } from '@/lib/api/exports';
import type { Source } from '@/lib/api/schema';
import { formatIsoTime } from '@/lib/format/iso-time';
import type { World } from '@/lib/observation/fold';
import { isImportedClient } from '../client-id';
import { fileOfSource, ImportNames, labelOf } from '../dumps/import-names';
import { importRecording } from '../dumps/import-recording';
import type { Clock, Observe } from '../observe';
import { initialSourceStatus, type RunningSource, type SourceStatus } from '../source-status';
import { describeSource } from '../sources/describe-source';
import type { SourceRegistry } from '../sources/source-registry';
import { ReportImporter } from './import-report';
import { ProblemNotes } from './problem-notes';
import { readFileNews } from './read-file';
import { readRecording } from './read-recording';
import { receiveFile, removeLeftUploads, uploadPath } from './receive-file';
import type { SavedImport, SavedImports } from './saved-imports';

export interface ImportsOptions {
  readonly dataDir: string;
  readonly clock: Clock;
  readonly saved: SavedImports;
  readonly registry: SourceRegistry;
  readonly observe: Observe;
  readonly redactionKey: Uint8Array;
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
    const label = labelOf(name, (tried) => this.#isTaken(tried));
    this.#coming.add(label);
    try {
      return await this.#readAs(label, file, sizeBytes);
    } finally {
      this.#coming.delete(label);
    }
  }

  async #readAs(label: string, file: string, sizeBytes: number): Promise<Source> {
    const { dataDir, observe, redactionKey, clock, stored } = this.options;
    const names = new ImportNames(label);
    const now = clock.now();
    const report = new ReportImporter({ names, observe, now });
    const problems = new ProblemNotes();
    const unpackedFile = uploadPath(dataDir, 'unpacked');
    const { signal } = new AbortController();
    try {
      for await (const news of readFileNews({ file, unpackedFile, redactionKey, now, signal })) {
        switch (news.kind) {
          case 'recording':
            return await this.#readRecording(label, news.file, sizeBytes);
          case 'unknown':
            throw new UnknownFile(news.reason);
          case 'begin':
            report.begin(news);
            break;
          case 'batch':
            problems.add(news.problems);
            report.batch(news);
            await stored();
            break;
          case 'end':
          case 'progress':
        }
      }
    } catch (error) {
      for (const clientId of report.result().clientIds) this.options.forget(clientId);
      throw error;
    } finally {
      rmSync(unpackedFile, { force: true });
    }
    const { what, at, observations, bodies, clientIds } = report.result();
    const clients = Object.fromEntries([...clientIds].map((id) => [id, at]));
    const added = {
      label,
      addedAt: now,
      sizeBytes,
      observations,
      bodies,
      from: at,
      to: at,
      madeBy: '',
      what,
    };
    return this.#keep({ ...added, notes: problems.notes(), clients }, { from: at, to: at });
  }

  async #readRecording(label: string, file: string, sizeBytes: number): Promise<Source> {
    const { observe, stored, clock } = this.options;
    const names = new ImportNames(label);
    const result = await importRecording(readRecording(file), { names, observe, stored });
    const { header, observations, bodies, from, to, lost, notes } = result;
    const clients = Object.fromEntries([...result.clients].map(([id, { lastAt }]) => [id, lastAt]));
    const told = [...lost.map((reason) => `lost: ${reason}`), ...notes];
    const added = { label, addedAt: clock.now(), sizeBytes, observations, bodies, from, to };
    return this.#keep({ ...added, madeBy: header?.madeBy ?? '', notes: told, clients }, result.told);
  }

  /** `range`: of what was told; null: nothing was. */
  async #keep(
    read: Omit<SavedImport, 'pinId'>,
    range: { readonly from: number; readonly to: number } | null,
  ): Promise<Source> {
    const pinId = range === null ? undefined : await this.options.keep(range, read.label);
    const lacking = 'not kept beyond the limits of the recording: there are too many pins';
    const notes = pinId === undefined ? [...read.notes, lacking] : read.notes;
    const saved: SavedImport = { ...read, notes, pinId };
    this.#save([...this.#imports, saved]);
    const source = this.#show(saved);
    return this.options.registry.find(source.id) ?? source;
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

function statusOf(saved: SavedImport): SourceStatus {
  const { from, to, observations, bodies, madeBy, sizeBytes, addedAt, notes, clients, what: kind } = saved;
  const range = from === null || to === null ? '' : `, ${formatIsoTime(from)} to ${formatIsoTime(to)}`;
  const what =
    kind === undefined
      ? `${observations} observations and ${bodies} resource bodies${range}`
      : `${kind}: ${bodies} resource bodies, as of ${from === null ? 'no time' : formatIsoTime(from)}`;
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
