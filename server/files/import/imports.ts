import { rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { sum } from 'd3';
import * as z from 'zod';
import type { World } from '@/lib/observation/fold';
import type { SourceDirectory } from '@/lib/observation/source-directory';
import { isImportedClient } from '@/lib/views/client/is-imported-client';
import type { FileImport, ImportProblems } from '@/lib/views/recording/import-schema';
import { importProblem } from '@/lib/views/recording/import-schema';
import { largestImportBytes } from '@/lib/views/recording/largest-import';
import type { Source } from '@/lib/views/sources/schema';
import type { KeptValue } from '../../store/kept-value';
import type { StateStore } from '../../store/state';
import type { FileGap, FileLabel } from '../xdscope-format/file-record';
import { AlreadyImported, FileTooLarge, ImportCanceled, UnknownFile } from './import-errors';
import { ImportNames, labelOf } from './import-names';
import type { AssertNew, ImportReaderOptions, ReadImport } from './import-reader';
import { ImportReader } from './import-reader';
import { viewOfSaved } from './import-view';
import { ProblemList } from './problem-list';
import {
  receiveFile,
  receiveParts,
  removeLeftUploads,
  type UploadPart,
  uploadPath,
  within,
} from './receive-file';
import type { RunningImport } from './running-imports';
import { importIdOf, RunningImports } from './running-imports';
import type { SavedImport } from './saved-imports';

interface ImportsOptions extends ImportReaderOptions {
  readonly saved: KeptValue<SavedImport[]>;
  readonly state: StateStore;
  /** The sources of this process. */
  readonly sources: {
    readonly add: (file: SavedImport) => Source;
    readonly remove: (sourceId: string) => Promise<unknown>;
  };
  /**
   * Pins the observations of a file, so that retention keeps them until the file is removed. Resolves to undefined if
   * there are too many pins.
   */
  readonly keep: (range: FileLabel) => Promise<number | undefined>;
  /** Removes a pin, unless its id was reused. */
  readonly release: (pin: { readonly id: number; readonly label: string }) => Promise<void>;
  /** Called with a new, changed or ended import, and with undefined for a removed one. */
  readonly publish: (view: FileImport | undefined) => void;
}

/** Properties of an imported recording. */
export interface ImportedFile {
  /** First and last time, null if there are no observations. */
  readonly from: number | null;
  readonly to: number | null;
  /** Nothing states the time of the file: the times are those of the import. */
  readonly isUndated?: true;
  readonly gaps: readonly FileGap[];
}

/** The problems of an imported file, by this prefix and the id of the import. */
export const problemsPrefix = 'import-problems/';
export const savedProblems = z.object({ items: z.array(importProblem), total: z.number() });
type ImportedProblems = Pick<ImportProblems, 'items' | 'total'>;

/** What the sender of an upload states of it. */
export interface UploadFacts {
  /** A file that was imported before is imported again. */
  readonly isAgain?: boolean;
  /** The time at which the file was written. */
  readonly modifiedAt?: number | undefined;
  /** The files of the upload, one after the other, if it consists of several of one client. */
  readonly parts?: readonly UploadPart[] | undefined;
}

/** The imported files. Each is a source, whose clients are shown like any others. */
export class Imports {
  readonly #options: ImportsOptions;

  /** Labels of the files that are being read. */
  readonly #coming = new Set<string>();
  readonly #running: RunningImports;
  readonly #reader: ImportReader;
  readonly #turn = new ReadingTurn();

  constructor(options: ImportsOptions) {
    this.#options = options;

    this.#running = new RunningImports(options.clock, options.publish);
    this.#reader = new ImportReader(options);
    removeLeftUploads(options.dataDir);
    for (const each of this.#imports) options.sources.add(each);
  }

  get #imports(): readonly SavedImport[] {
    return this.#options.saved.value;
  }

  has(sourceId: string): boolean {
    return this.#imports.some(({ label }) => new ImportNames(label).sourceId === sourceId);
  }

  /** The file of an imported client, undefined for any other client. */
  fileOf(clientId: string): ImportedFile | undefined {
    const found = this.#imports.find(({ clients }) => Object.hasOwn(clients, clientId));
    if (found === undefined) return undefined;
    const { from, to, isUndated, gaps = [] } = found;
    return { from, to, gaps, ...(isUndated && { isUndated }) };
  }

  /** The first time of all files; undefined if there are none. */
  get oldestAt(): number | undefined {
    const times = this.#imports.flatMap(({ from }) => (from === null ? [] : [from]));
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** Is it a pin that was made for a file, and not by a user? */
  isKeptBy(pinId: number): boolean {
    return this.#imports.some((each) => each.pinId === pinId);
  }

  /** Running imports first, then the newest first. */
  list(): FileImport[] {
    return [...this.#running.list(), ...this.#imports.map(viewOfSaved).reverse()];
  }

  /** Undefined for an unknown id. */
  async problemsOf(id: string): Promise<ImportedProblems | undefined> {
    const ended = this.#running.problemsOf(id);
    if (ended !== undefined) return { items: [...ended.kept], total: ended.count };
    if (!this.#imports.some(({ label }) => importIdOf(label) === id)) return undefined;
    const kept = await this.#options.state.get(problemsPrefix + id, savedProblems);
    return kept?.value ?? { items: [], total: 0 };
  }

  /** Cancels a running import or removes a completed one; false for an unknown id. */
  async cancel(id: string): Promise<boolean> {
    const saved = this.#imports.find(({ label }) => importIdOf(label) === id);
    if (saved !== undefined) await this.remove(new ImportNames(saved.label).sourceId);
    else if (!this.#running.remove(id)) return false;
    if (!this.#running.list().some((each) => each.id === id)) this.#options.publish(undefined);
    return true;
  }

  /**
   * Imports an upload. Throws FileTooLarge, UnknownFile, ImportCanceled and XdscopeFileError; the readable part of a
   * damaged file is imported, and its source states what is missing. `sizeBytes` is the announced size, null if
   * unknown. Aborting `left` cancels the import. Throws AlreadyImported for the bytes of an earlier import, unless it
   * is imported again.
   */
  async add(
    name: string,
    chunks: AsyncIterable<Uint8Array>,
    sizeBytes: number | null = null,
    left?: AbortSignal,
    { isAgain = false, modifiedAt, parts }: UploadFacts = {},
  ): Promise<Source> {
    const assertNew: AssertNew = isAgain ? () => undefined : this.#assertNew;
    if (sizeBytes !== null && sizeBytes > largestImportBytes) {
      throw new FileTooLarge(`expected at most ${largestImportBytes} bytes, got ${sizeBytes}`);
    }
    return this.#import(name, sizeBytes, async (running) => {
      const { controller } = running;
      const { signal } = controller;
      if (left?.aborted) controller.abort();
      left?.addEventListener('abort', () => controller.abort(), { once: true });
      const onBytes = (done: number): void => {
        running.change({ progress: { done, total: sizeBytes ?? undefined } });
        // Preparing earlier would slow down the upload; preparing later would delay the page.
        if (sizeBytes !== null && 2 * done > sizeBytes) this.#reader.expect(sizeBytes);
      };
      const coming = within(chunks, { maxBytes: largestImportBytes, onBytes, signal });
      if (parts !== undefined) {
        const folder = uploadPath(this.#options.dataDir, 'parts');
        try {
          const [first = '', ...others] = await receiveParts(folder, coming, parts);
          running.change({ state: 'waiting' });
          const received = sum(parts, (part) => part.sizeBytes);
          return await this.#turn.take(signal, () =>
            this.#reader.read(running, { path: first, sizeBytes: received, others, modifiedAt }, assertNew),
          );
        } finally {
          rmSync(folder, { recursive: true, force: true });
        }
      }
      if (this.#turn.isFree) {
        return this.#turn.take(signal, () =>
          this.#reader.read(running, { chunks: coming, sizeBytes, modifiedAt }, assertNew),
        );
      }
      const file = uploadPath(this.#options.dataDir, 'received');
      try {
        const received = await receiveFile(file, coming);
        running.change({ state: 'waiting' });
        return await this.#turn.take(signal, () =>
          this.#reader.read(running, { path: file, sizeBytes: received, modifiedAt }, assertNew),
        );
      } finally {
        rmSync(file, { force: true });
      }
    });
  }

  readonly #assertNew: AssertNew = (sha256) => {
    const earlier = this.#imports.find((each) => each.sha256 === sha256);
    if (earlier !== undefined) throw new AlreadyImported(importIdOf(earlier.label), earlier.label);
  };

  /**
   * Imports an existing file, which is not removed. `others` are files with more of the same client. Throws
   * AlreadyImported.
   */
  async addFile(file: string, name = path.basename(file), others: readonly string[] = []): Promise<Source> {
    let sizeBytes = 0;
    let modifiedAt = 0;
    for (const each of [file, ...others]) {
      const handle = await open(each);
      const { size, mtimeMs } = await handle.stat().finally(() => handle.close());
      sizeBytes += size;
      modifiedAt = Math.max(modifiedAt, Math.floor(mtimeMs));
    }
    return this.#import(name, sizeBytes, (running) =>
      this.#turn.take(running.controller.signal, () =>
        this.#reader.read(running, { path: file, sizeBytes, others, modifiedAt }, this.#assertNew),
      ),
    );
  }

  async remove(sourceId: string): Promise<void> {
    const found = this.#imports.find(({ label }) => new ImportNames(label).sourceId === sourceId);
    if (found === undefined) return;
    await this.#options.saved.change((before) => before.filter(({ label }) => label !== found.label));
    for (const clientId of Object.keys(found.clients)) this.#options.forget(clientId);
    await this.#options.state.put(problemsPrefix + importIdOf(found.label), undefined);
    this.#options.publish(undefined);
    for (const pin of pinsOf(found)) await this.#options.release(pin);
    await this.#options.sources.remove(sourceId);
  }

  /** Cancels running imports. */
  close(): void {
    this.#running.close();
  }

  async #import(
    name: string,
    sizeBytes: number | null,
    read: (running: RunningImport) => Promise<ReadImport>,
  ): Promise<Source> {
    const label = labelOf(name, (tried) => this.#isTaken(tried));
    this.#coming.add(label);
    const running = this.#running.start(label, sizeBytes);
    try {
      const saved = await this.#keep(await read(running));
      this.#running.succeeded(running);
      this.#options.publish(viewOfSaved(saved));
      return this.#options.sources.add(saved);
    } catch (cause) {
      if (cause instanceof AlreadyImported) {
        this.#running.succeeded(running);
        this.#options.publish(undefined);
        throw cause;
      }
      const isCanceled = running.controller.signal.aborted;
      const error = isCanceled ? new ImportCanceled('the import was canceled') : cause;
      const problems = cause instanceof UnknownFile ? cause.problems : new ProblemList();
      this.#running.failed(running, error instanceof Error ? error.message : String(error), problems);
      throw error;
    } finally {
      this.#coming.delete(label);
    }
  }

  async #keep({ saved: read, range, labels, problems }: ReadImport): Promise<SavedImport> {
    const { keep } = this.#options;
    const { kept: items, count: total } = problems;
    if (total > 0) await this.#options.state.put(problemsPrefix + importIdOf(read.label), { items, total });
    const whole = { clientId: null, label: pinLabelOf(read.label) };
    const pinId = range === null ? undefined : await keep({ ...range, ...whole });
    const notes = [...read.notes];
    if (pinId === undefined)
      notes.push('not kept beyond the limits of the recording: there are too many pins');
    const labelPins: { id: number; label: string }[] = [];
    for (const label of labels) {
      const id = await keep(label);
      if (id !== undefined) labelPins.push({ id, label: label.label });
    }
    const lacking = labels.length - labelPins.length;
    if (lacking > 0) notes.push(`${lacking} pins of the file are not kept: there are too many pins`);
    const saved: SavedImport = { ...read, notes, pinId, ...(labelPins.length > 0 && { labelPins }) };
    await this.#options.saved.change((before) => [...before, saved]);
    return saved;
  }

  #isTaken(label: string): boolean {
    return this.#coming.has(label) || this.#imports.some((each) => each.label === label);
  }
}

const pinLabelOf = (label: string): string => `file ${label}`;

function pinsOf({ label, pinId, labelPins = [] }: SavedImport) {
  return pinId === undefined ? labelPins : [{ id: pinId, label: pinLabelOf(label) }, ...labelPins];
}

/** Removes the clients of removed files, whose observations are still in the log. MUTATES `world`. */
export function dropRemovedFiles(
  { world, sources }: { readonly world: World; readonly sources: SourceDirectory },
  imports: readonly SavedImport[],
): void {
  const known = new Set(imports.map(({ label }) => new ImportNames(label).sourceId));
  for (const [clientId, client] of world) {
    const reports = [...client.reports.values()];
    const ofNode = sources.findFile(client.nodeSourceId);
    if (ofNode === undefined && !isImportedClient({ reports })) continue;
    const files = [ofNode, ...reports.map(({ sourceId }) => sources.findFile(sourceId))];
    if (!files.some((file) => file !== undefined && known.has(file))) world.delete(clientId);
  }
}

/** Lets one import be unpacked and parsed at a time, in the order of the calls of take(). */
class ReadingTurn {
  #running = 0;
  #last: Promise<unknown> = Promise.resolve();

  get isFree(): boolean {
    return this.#running === 0;
  }

  /** Runs `work` when all earlier work is over. Rejects with the reason of `signal` if it aborts before that. */
  take<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    this.#running += 1;
    const earlier = this.#last;
    return new Promise<T>((resolve, reject) => {
      const onAbort = (): void => reject(signal.reason);
      signal.addEventListener('abort', onAbort);
      this.#last = earlier
        .then(async () => {
          signal.removeEventListener('abort', onAbort);
          signal.throwIfAborted();
          resolve(await work());
        })
        .catch(reject)
        .finally(() => {
          this.#running -= 1;
        });
    });
  }
}
