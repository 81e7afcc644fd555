import { ownVantages } from '@/lib/observation/vantage';
import type { ExportEstimate, ExportQuery } from '@/lib/views/recording/export-schema';
import { notFound } from '../../api-error';
import { RecordingRecords } from '../../files/export/recording-records';
import type { FileLabel } from '../../files/xdscope-format/file-record';
import { writeXdscopeFile } from '../../files/xdscope-format/write-file';
import type { LiveState } from '../../live/live-state';
import type { LoadReader } from '../../live/load/load-reader';
import type { Clock } from '../../observe';
import type { HistoryFilter } from '../../store/history-query';
import type { Recorder } from '../../store/recorder/recorder';
import type { ClientSubjects } from '../subjects/client-subjects';
import type { ImportsApi } from './imports-api';

export interface ExportedFile {
  readonly fileName: string;
  /** The file is produced while it is read; ending the iteration ends the work. */
  readonly content: AsyncGenerator<Buffer>;
}

export interface ExportsApiOptions {
  readonly clock: Clock;
  readonly version: string;
  readonly recorder: Recorder;
  readonly live: LiveState;
  readonly loads: Pick<LoadReader, 'excerptParts'>;
  readonly imports: Pick<ImportsApi, 'fileOf' | 'isKeptBy'>;
  readonly subjects: Pick<ClientSubjects, 'find'>;
}

/** The size of an export up to these limits is measured, which is fast. */
const measuredObservations = 3_000;
const measuredBytes = 16 * 1024 * 1024;

export class ExportsApi {
  readonly #options: ExportsApiOptions;

  constructor(options: ExportsApiOptions) {
    this.#options = options;
  }

  /** `signal` is aborted when no reader waits; the content then ends with its reason. */
  async make(query: ExportQuery, signal?: AbortSignal): Promise<ExportedFile> {
    const { from, to, client: clientId } = this.#untilNow(query);
    const { recorder, live, loads, clock, version, imports } = this.#options;
    await this.#flushLog();
    const clients = await this.#listClients({ client: clientId, to }, signal);
    const madeAt = clock.now();
    const labels = await this.#labels(
      clients.map((each) => each.clientId),
      from,
      to,
    );
    const gaps = clientId === undefined ? undefined : imports.fileOf(clientId)?.gaps;
    const findSource = live.sources.find.bind(live.sources);
    const made = { findSource, clients, labels, gaps, madeBy: `xdscope ${version}`, madeAt, signal };
    const records = new RecordingRecords(recorder, loads, { from, to, clientId, ...made });
    const who = clientId === undefined ? '' : `-${plainName(clients[0]?.nodeId ?? clientId)}`;
    const when = new Date(to ?? madeAt).toISOString().slice(0, 19).replaceAll(':', '-');
    return {
      fileName: `xdscope${who}-${when}.xdscope`,
      content: writeXdscopeFile(records.read(), () => records.missingBodies),
    };
  }

  /** Measures the size of a small file, and estimates others from the average size of observations in the log. */
  async estimate(query: ExportQuery, signal?: AbortSignal): Promise<ExportEstimate> {
    const { from, to, client: clientId } = this.#untilNow(query);
    const { recorder } = this.#options;
    await this.#flushLog();
    await this.#listClients({ client: clientId, to }, signal);
    const filter: HistoryFilter = clientId === undefined ? { vantages: ownVantages } : { clientId };
    const observations = await recorder.countHistory({ ...filter, from, to }, signal);
    if (observations <= measuredObservations) {
      const sizeBytes = await this.#measure(query, signal);
      if (sizeBytes <= measuredBytes) return { observations, sizeBytes };
    }
    const { observations: all, sizeBytes } = recorder.stats();
    return { observations, sizeBytes: all === 0 ? 0 : Math.ceil((sizeBytes / all) * observations) };
  }

  async #measure(query: ExportQuery, signal: AbortSignal | undefined): Promise<number> {
    let sizeBytes = 0;
    for await (const part of (await this.make(query, signal)).content) {
      sizeBytes += part.length;
      if (sizeBytes > measuredBytes) break;
    }
    return sizeBytes;
  }

  /** Returns the pins that overlap the range, of these clients or of all. */
  async #labels(clientIds: readonly string[], from = -8.64e15, to = 8.64e15): Promise<FileLabel[]> {
    const { recorder, imports } = this.#options;
    const own = new Set(clientIds);
    return (await recorder.pins())
      .filter((pin) => pin.to >= from && pin.from <= to && !imports.isKeptBy(pin.id))
      .filter(({ clientId }) => clientId === null || own.has(clientId))
      .map(({ from: begin, to: end, label, clientId }) => ({ from: begin, to: end, label, clientId }));
  }

  /** Throws an ApiError, 404, if the client is neither known nor one that has ended and that the log has at the end of the range. */
  async #listClients(
    { client: clientId, to }: Pick<ExportQuery, 'client' | 'to'>,
    signal: AbortSignal | undefined,
  ) {
    const { clock, live, subjects } = this.#options;
    const known = [...live.world.values()].filter((each) =>
      clientId === undefined
        ? live.sources.findFile(each.nodeSourceId) === undefined
        : each.clientId === clientId,
    );
    if (clientId === undefined || known.length > 0)
      return known.map(({ clientId: id, node, scope }) => ({ clientId: id, nodeId: node.id, scope }));
    const at = new Date(to ?? clock.now()).toISOString();
    const ended = await subjects.find(clientId, at, { field: 'to', signal });
    if (ended === undefined) throw notFound('Client', `no client has the id ${JSON.stringify(clientId)}`);
    const { nodeId, scope } = ended.client;
    return [{ clientId, nodeId, scope }];
  }

  /** There are no observations of the future. */
  #untilNow(query: ExportQuery): ExportQuery {
    const { to } = query;
    return { ...query, ...(to !== undefined && { to: Math.min(to, this.#options.clock.now()) }) };
  }

  async #flushLog(): Promise<void> {
    const { recorder } = this.#options;
    if (recorder.stats().state === 'recording') await recorder.flushed();
  }
}

function plainName(nodeId: string): string {
  return nodeId.replace(/[^A-Za-z0-9._-]+/g, '_').slice(0, 60);
}
