import { rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { largestImportBytes } from '@/lib/api/exports';
import type { FileImport, ImportProblems } from '@/lib/api/imports';
import type { Source } from '@/lib/api/schema';
import { formatIsoTime } from '@/lib/format/iso-time';
import type { World } from '@/lib/observation/fold';
import { isImportedClient } from '../client-id';
import { fileOfSource, ImportNames, labelOf } from '../dumps/import-names';
import { importRecording } from '../dumps/import-recording';
import type { FileGap, FileLabel } from '../dumps/xdscope-file/file-record';
import type { Clock, Observe } from '../observe';
import { initialSourceStatus, type RunningSource, type SourceStatus } from '../source-status';
import { describeSource } from '../sources/describe-source';
import type { SourceRegistry } from '../sources/source-registry';
import { ReportImporter } from './import-report';
import { ProblemList } from './problem-list';
import { readFileNews } from './read-file';
import { readRecording } from './read-recording';
import { type ReceivedFile, receiveFile, removeLeftUploads, uploadPath } from './receive-file';
import { importIdOf, type RunningImport, RunningImports } from './running-imports';
import type { SavedImport, SavedImports } from './saved-imports';
import { SavedProblems } from './saved-problems';

export interface ImportsOptions {
  readonly dataDir: string;
  readonly clock: Clock;
  readonly saved: SavedImports;
  readonly registry: SourceRegistry;
  readonly observe: Observe;
  readonly redactionKey: Uint8Array;
  /** Resolves when what was observed is on the disk, or will not be. */
  readonly stored: () => Promise<void>;
  /** A large file must neither come faster than it is stored, nor be in the way of those who look at it. */
  readonly keepPace: () => Promise<void>;
  /** A large file comes, at which somebody will look. */
  readonly onLargeFile: () => void;
  /** A log forgets what is old: what a file holds is kept until the file is removed. undefined: it cannot be. */
  readonly keep: (range: KeptRange) => Promise<number | undefined>;
  /** A pin that is another one by now stays. */
  readonly release: (pin: { readonly id: number; readonly label: string }) => Promise<void>;
  /** Takes a client out of what is shown. */
  readonly forget: (clientId: string) => void;
  /** An import that is new, goes on or has ended; undefined: it is no more. */
  readonly tell: (importId: string, view: FileImport | undefined) => void;
}

export interface KeptRange {
  readonly from: number;
  readonly to: number;
  /** null: everybody's. */
  readonly clientId: string | null;
  readonly label: string;
}

/** What a recording says of itself, beside its observations. */
export interface ImportedFile {
  /** Of what was recorded; null: nothing was. */
  readonly from: number | null;
  readonly to: number | null;
  readonly gaps: readonly FileGap[];
}

/** A file that is of none of the kinds that can be imported. */
export class UnknownFile extends Error {
  override readonly name = 'UnknownFile';

  constructor(
    reason: string,
    /** What was found in it. */
    readonly problems: ProblemList,
  ) {
    super(reason);
  }
}

/** Somebody wanted it no longer. */
export class ImportCanceled extends Error {
  override readonly name = 'ImportCanceled';
}

/** Of a smaller one every view is made in no time. */
const largeFileBytes = 1024 * 1024;

/** Files that were imported: each is a source, whose clients are seen as any others. */
export class Imports {
  #imports: SavedImport[];
  /** Labels of those that are being read. */
  readonly #coming = new Set<string>();
  readonly #running: RunningImports;
  readonly #problems: SavedProblems;

  constructor(private readonly options: ImportsOptions) {
    this.#running = new RunningImports(options.clock, (view) => options.tell(view.id, view));
    this.#problems = new SavedProblems(options.dataDir);
    removeLeftUploads(options.dataDir);
    this.#imports = options.saved.read();
    for (const each of this.#imports) this.#show(each);
  }

  has(sourceId: string): boolean {
    return this.#imports.some(({ label }) => new ImportNames(label).sourceId === sourceId);
  }

  /** The file that a client came from; undefined: it came from none. */
  fileOf(clientId: string): ImportedFile | undefined {
    const found = this.#imports.find(({ clients }) => Object.hasOwn(clients, clientId));
    return found === undefined ? undefined : { from: found.from, to: found.to, gaps: found.gaps ?? [] };
  }

  /** Keeps it all as long as the file is among the sources: no range that somebody named. */
  isKeptBy(pinId: number): boolean {
    return this.#imports.some((each) => each.pinId === pinId);
  }

  /** Those that go on first, then the newest first. */
  list(): FileImport[] {
    return [...this.#running.list(), ...this.#imports.map((saved) => this.#viewOf(saved)).reverse()];
  }

  /** undefined: there is no such import. */
  problemsOf(id: string): Pick<ImportProblems, 'items' | 'total'> | undefined {
    const ended = this.#running.problemsOf(id);
    if (ended !== undefined) return { items: [...ended.kept], total: ended.count };
    return this.#imports.some(({ label }) => importIdOf(label) === id) ? this.#problems.read(id) : undefined;
  }

  /** Cancels an import that goes on, removes one that is done; false: there is none. */
  async cancel(id: string): Promise<boolean> {
    const saved = this.#imports.find(({ label }) => importIdOf(label) === id);
    if (saved !== undefined) await this.remove(new ImportNames(saved.label).sourceId);
    else if (!this.#running.remove(id)) return false;
    if (!this.#running.list().some((each) => each.id === id)) this.options.tell(id, undefined);
    return true;
  }

  /**
   * Reads an upload into the log. Throws FileTooLarge, UnknownFile, ImportCanceled and XdscopeFileError; what is
   * damaged in part is imported as far as it goes, and its source says what is missing. `sizeBytes`: as announced;
   * null: it was not.
   */
  async add(
    name: string,
    chunks: AsyncIterable<Uint8Array>,
    sizeBytes: number | null = null,
  ): Promise<Source> {
    return this.#import(name, sizeBytes, async (running) => {
      const { signal } = running.controller;
      const onBytes = (done: number): void => running.change({ progress: { done, total: sizeBytes } });
      const limits = { maxBytes: largestImportBytes, onBytes, signal };
      const receiving = receiveFile(this.options.dataDir, chunks, limits);
      try {
        return await this.#read(running, receiving);
      } finally {
        // What went wrong with it is thrown already.
        await receiving.then(
          (received) => received.remove(),
          () => undefined,
        );
      }
    });
  }

  /** The same with a file that is there already, and stays. */
  async addFile(file: string): Promise<Source> {
    const handle = await open(file);
    const { size } = await handle.stat().finally(() => handle.close());
    return this.#import(path.basename(file), size, (running) =>
      this.#read(running, Promise.resolve({ path: file, sizeBytes: size })),
    );
  }

  async remove(sourceId: string): Promise<void> {
    const found = this.#imports.find(({ label }) => new ImportNames(label).sourceId === sourceId);
    if (found === undefined) return;
    this.#save(this.#imports.filter((each) => each !== found));
    for (const clientId of Object.keys(found.clients)) this.options.forget(clientId);
    this.#problems.remove(importIdOf(found.label));
    this.options.tell(importIdOf(found.label), undefined);
    for (const pin of pinsOf(found)) await this.options.release(pin);
    await this.options.registry.remove(sourceId);
  }

  /** What goes on is canceled. */
  close(): void {
    this.#running.close();
  }

  async #import(
    name: string,
    sizeBytes: number | null,
    work: (running: RunningImport) => Promise<SavedImport>,
  ): Promise<Source> {
    const label = labelOf(name, (tried) => this.#isTaken(tried));
    this.#coming.add(label);
    const running = this.#running.start(label, sizeBytes);
    if ((sizeBytes ?? Number.POSITIVE_INFINITY) > largeFileBytes) this.options.onLargeFile();
    try {
      const saved = await work(running);
      this.#running.succeeded(running);
      this.options.tell(importIdOf(label), this.#viewOf(saved));
      const source = this.#show(saved);
      return this.options.registry.find(source.id) ?? source;
    } catch (cause) {
      const isCanceled = running.controller.signal.aborted;
      const error = isCanceled ? new ImportCanceled('the import was canceled') : cause;
      const problems = cause instanceof UnknownFile ? cause.problems : new ProblemList();
      this.#running.failed(running, error instanceof Error ? error.message : String(error), problems);
      throw error;
    } finally {
      this.#coming.delete(label);
    }
  }

  async #read(
    running: RunningImport,
    coming: Promise<Pick<ReceivedFile, 'path' | 'sizeBytes'>>,
  ): Promise<SavedImport> {
    const { dataDir, observe, redactionKey, clock, stored, keepPace } = this.options;
    const { label } = running.current;
    const names = new ImportNames(label);
    const now = clock.now();
    const report = new ReportImporter({ names, observe, now });
    const problems = new ProblemList();
    const unpackedFile = uploadPath(dataDir, 'unpacked');
    const { signal } = running.controller;
    const file = coming.then((received) => {
      const { sizeBytes } = received;
      running.change({ state: 'reading', progress: { done: 0, total: null }, sizeBytes });
      return received.path;
    });
    // Its thread waits ready meanwhile; of many files at once each begins when it is there.
    if (this.#coming.size > 1) await file;
    try {
      for await (const news of readFileNews({ file, unpackedFile, redactionKey, now, signal })) {
        switch (news.kind) {
          case 'progress': {
            const { phase, done, total } = news;
            running.change({
              ...(running.current.state !== phase && { state: phase }),
              progress: { done, total },
            });
            break;
          }
          case 'recording':
            return await this.#readRecording(running, news.file, (await coming).sizeBytes);
          case 'unknown':
            throw new UnknownFile(news.reason, problems);
          case 'begin':
            report.begin(news);
            running.change({ what: news.what });
            break;
          case 'batch': {
            problems.add(news.problems);
            report.batch(news);
            await keepPace();
            const { resources, clientIds } = report.result();
            if (clientIds.size === running.current.clients) running.change({ resources });
            else running.change({ resources, ...clientsOf(clientIds) });
            break;
          }
          case 'end':
        }
      }
    } catch (error) {
      for (const clientId of report.result().clientIds) this.options.forget(clientId);
      throw error;
    } finally {
      rmSync(unpackedFile, { force: true });
    }
    await stored();
    const { what, at, observations, bodies, resources, clientIds } = report.result();
    const clients = Object.fromEntries([...clientIds].map((id) => [id, at]));
    const { sizeBytes } = await coming;
    const counts = { sizeBytes, observations, bodies, resources, problems: problems.count };
    this.#problems.write(importIdOf(label), problems);
    const added = { label, addedAt: now, ...counts, from: at, to: at, madeBy: '', what };
    return this.#keep({ ...added, notes: problems.notes(), clients }, { from: at, to: at });
  }

  async #readRecording(running: RunningImport, file: string, sizeBytes: number): Promise<SavedImport> {
    const { stored, keepPace, clock } = this.options;
    const { label } = running.current;
    const names = new ImportNames(label);
    running.change({ what: 'recording' });
    const records = untilCanceled(readRecording(file), running.controller.signal);
    const told = new Set<string>();
    const observe: Observe = (sighting) => {
      if ('clientId' in sighting.observation) told.add(sighting.observation.clientId);
      this.options.observe(sighting);
    };
    const result = await importRecording(records, { names, observe, keepPace }).catch((error: unknown) => {
      for (const clientId of told) this.options.forget(clientId);
      throw error;
    });
    await stored();
    const { header, observations, bodies, from, to, lost, notes, labels, gaps } = result;
    const clients = Object.fromEntries([...result.clients].map(([id, { lastAt }]) => [id, lastAt]));
    const lacks = [...lost.map((reason) => `lost: ${reason}`), ...notes];
    const added = { label, addedAt: clock.now(), sizeBytes, observations, bodies, from, to };
    const read = { ...added, madeBy: header?.madeBy ?? '', notes: lacks, clients, gaps: [...gaps] };
    return this.#keep(read, result.told, labels);
  }

  /** `range`: of what was told; null: nothing was. */
  async #keep(
    read: Omit<SavedImport, 'pinId' | 'labelPins'>,
    range: { readonly from: number; readonly to: number } | null,
    labels: readonly FileLabel[] = [],
  ): Promise<SavedImport> {
    const { keep } = this.options;
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
    this.#save([...this.#imports, saved]);
    return saved;
  }

  #viewOf(saved: SavedImport): FileImport {
    const { label, sizeBytes, addedAt, resources = 0, problems = 0, what = 'recording', bodies } = saved;
    const at = formatIsoTime(addedAt);
    return {
      id: importIdOf(label),
      label,
      state: 'done',
      progress: { done: sizeBytes, total: sizeBytes },
      what,
      sizeBytes,
      ...clientsOf(new Set(Object.keys(saved.clients))),
      resources: resources || bodies,
      problems,
      reason: '',
      startedAt: at,
      endedAt: at,
    };
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

const pinLabelOf = (label: string): string => `file ${label}`;

function pinsOf({ label, pinId, labelPins = [] }: SavedImport) {
  return pinId === undefined ? labelPins : [{ id: pinId, label: pinLabelOf(label) }, ...labelPins];
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

async function* untilCanceled<T>(items: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  for await (const item of items) {
    signal.throwIfAborted();
    yield item;
  }
}

/** So many are named. */
const mostClientIds = 10;

function clientsOf(ids: ReadonlySet<string>): Pick<FileImport, 'clients' | 'clientIds'> {
  return { clients: ids.size, clientIds: [...ids].slice(0, mostClientIds) };
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
