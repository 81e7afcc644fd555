import { rmSync } from 'node:fs';
import type { Clock, Observe } from '../../observe';
import type { FileLabel } from '../xdscope-format/file-record';
import { defaultReadLimits } from '../xdscope-format/read-file';
import type { FileMessage } from './file-messages';
import { UnknownFile } from './import-errors';
import { ImportNames } from './import-names';
import { type ImportOptions, importRecording } from './import-recording';
import { type ImportReportOptions, ReportImporter } from './import-report';
import { clientsOf } from './import-view';
import { ProblemList } from './problem-list';
import { readFileMessages, type Upload } from './read-file';
import { readRecording } from './read-recording';
import { uploadPath } from './receive-file';
import type { RunningImport } from './running-imports';
import type { SavedImport } from './saved-imports';
import { maxUnpackedBytes } from './unpack-file';

export interface ImportReaderOptions {
  readonly dataDir: string;
  readonly clock: Clock;
  readonly observe: Observe;
  readonly preview: ImportReportOptions['preview'];
  readonly redactionKey: Uint8Array;
  /** Resolves when the emitted observations are stored, or storing failed. */
  readonly stored: () => Promise<void>;
  /** Resolves when more observations can be stored without delaying requests. */
  readonly keepPace: () => Promise<void>;
  readonly addLoad: ImportOptions['addLoad'];
  /** Called, possibly several times, when a large file is about to be shown. */
  readonly onLargeFile: () => void;
  /** Called when all of a client was observed. */
  readonly complete: (clientId: string) => void;
  /** Removes a client from the live state. */
  readonly forget: (clientId: string) => void;
}

/** Views of smaller files need no preparation. */
const largeFileBytes = 1024 * 1024;

/** The result of an import whose observations are in the log. */
export interface ReadImport {
  readonly saved: Omit<SavedImport, 'pinId' | 'labelPins'>;
  /** First and last time, null if there are no observations. */
  readonly range: { readonly from: number; readonly to: number } | null;
  /** The pins in the file. */
  readonly labels: readonly FileLabel[];
  readonly problems: ProblemList;
}

/** A file, or an upload that reports its size when it has arrived. */
type ImportOrigin =
  | {
      readonly path: string;
      readonly sizeBytes: number;
      /** Files with more of the same client. */
      readonly others?: readonly string[];
      readonly modifiedAt?: number | undefined;
    }
  | (Omit<Upload, 'onReceived'> & { readonly modifiedAt?: number | undefined });

/** Throws AlreadyImported for the SHA-256 of a file that must not be imported again. */
export type AssertNew = (sha256: string) => void;

/** Reads files into the log. */
export class ImportReader {
  readonly #options: ImportReaderOptions;

  constructor(options: ImportReaderOptions) {
    this.#options = options;
  }

  /**
   * Throws UnknownFile, XdscopeFileError or the error of an upload. The readable part of a damaged file is imported. If
   * it throws, no client of the file is shown.
   */
  async read(running: RunningImport, origin: ImportOrigin, assertNew: AssertNew): Promise<ReadImport> {
    const { dataDir, redactionKey, clock } = this.#options;
    const now = clock.now();
    const received = (sizeBytes: number): void => {
      this.expect(sizeBytes);
      running.change({ state: 'reading', progress: { done: 0, total: undefined }, sizeBytes });
    };
    if ('path' in origin) received(origin.sizeBytes);
    const [uploadFile, unpackedFile] = [uploadPath(dataDir, 'upload'), uploadPath(dataDir, 'unpacked')];
    const messages = readFileMessages({
      file: 'path' in origin ? origin.path : { ...origin, onReceived: received },
      others: 'path' in origin ? origin.others : undefined,
      modifiedAt: origin.modifiedAt,
      ...{ uploadFile, unpackedFile, redactionKey, now },
      signal: running.controller.signal,
    });
    try {
      return await this.#readMessages(running, messages, { now, assertNew });
    } finally {
      for (const file of [uploadFile, unpackedFile]) rmSync(file, { force: true });
    }
  }

  /** Announces that a file of this size will be shown. */
  expect(sizeBytes: number): void {
    if (sizeBytes > largeFileBytes) this.#options.onLargeFile();
  }

  async #readMessages(
    running: RunningImport,
    messages: AsyncIterable<FileMessage>,
    { now, assertNew }: { readonly now: number; readonly assertNew: AssertNew },
  ): Promise<ReadImport> {
    const { observe, preview, stored, keepPace, complete, forget } = this.#options;
    const { label } = running.current;
    const names = new ImportNames(label);
    observe({ observation: names.declareFile(now), bodies: [] });
    const report = new ReportImporter({ names, observe, preview, now });
    const problems = new ProblemList();
    let sha256: string | undefined;
    try {
      for await (const message of messages) {
        switch (message.kind) {
          case 'progress': {
            const { phase, done, total } = message;
            running.change({
              ...(running.current.state !== phase && { state: phase }),
              progress: { done, total: total ?? undefined },
            });
            break;
          }
          case 'digest':
            sha256 = message.sha256;
            assertNew(sha256);
            break;
          case 'recording': {
            const { saved, ...read } = await this.#readRecording(running, message.file);
            return { ...read, saved: { ...saved, sha256 } };
          }
          case 'unknown':
            throw new UnknownFile(message.reason, problems);
          case 'preview':
            this.#options.onLargeFile();
            report.preview(message);
            running.change({ resources: message.rows.length, ...clientsOf(report.reportedIds) });
            break;
          case 'begin':
            report.begin(message);
            running.change({ what: message.what });
            break;
          case 'batch': {
            problems.add(message.problems);
            report.batch(message);
            const { reportedIds } = report;
            // Resources of the preview are in a batch again.
            const resources = Math.max(running.current.resources, report.result().resources);
            if (reportedIds.size === running.current.clients) running.change({ resources });
            else running.change({ resources, ...clientsOf(reportedIds) });
            await keepPace();
            break;
          }
          case 'connections':
            report.connections(message);
            break;
          case 'end':
        }
      }
    } catch (error) {
      for (const clientId of report.reportedIds) forget(clientId);
      throw error;
    }
    for (const clientId of report.reportedIds) complete(clientId);
    await stored();
    const { what, at, isUndated, observations, bodies, resources, clientIds } = report.result();
    // The preview may have named the client differently.
    for (const clientId of report.reportedIds) if (!clientIds.has(clientId)) forget(clientId);
    const clients = Object.fromEntries([...clientIds].map((id) => [id, at]));
    const { sizeBytes } = running.current;
    const counts = { sizeBytes, observations, bodies, resources, problems: problems.count };
    const reported = { label, addedAt: now, sha256, ...counts, from: at, to: at, madeBy: '', what };
    const saved = {
      ...reported,
      ...(isUndated && { isUndated: true as const }),
      notes: problems.notes(),
      clients,
    };
    return { saved, range: { from: at, to: at }, labels: [], problems };
  }

  async #readRecording(running: RunningImport, file: string): Promise<ReadImport> {
    const { stored, keepPace, clock, observe, forget, addLoad, redactionKey } = this.#options;
    const { label, sizeBytes } = running.current;
    const names = new ImportNames(label);
    observe({ observation: names.declareFile(clock.now()), bodies: [] });
    running.change({ what: 'recording' });
    const maxInflatedBytes = maxUnpackedBytes(sizeBytes, defaultReadLimits.maxInflatedBytes);
    const data = { file, redactionKey, maxInflatedBytes };
    const records = readRecording(data, running.controller.signal);
    const seen = new Set<string>();
    const observeToo: Observe = (emission) => {
      if ('clientId' in emission.observation) seen.add(emission.observation.clientId);
      observe(emission);
    };
    const options = { names, observe: observeToo, keepPace, addLoad };
    const result = await importRecording(records, options).catch((error: unknown) => {
      for (const clientId of seen) forget(clientId);
      throw error;
    });
    await stored();
    const { header, observations, bodies, from, to, damage, notes, labels, gaps, reported } = result;
    const clients = Object.fromEntries(result.clients);
    const lacks = [...damage.map((reason) => `damaged: ${reason}`), ...notes];
    const added = { label, addedAt: clock.now(), sizeBytes, observations, bodies, from, to };
    const saved = { ...added, madeBy: header?.madeBy ?? '', notes: lacks, clients, gaps: [...gaps] };
    return { saved, range: reported, labels, problems: new ProblemList() };
  }
}
