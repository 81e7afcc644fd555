import { LRUCache } from 'lru-cache';
import { formatIsoTime } from '@/lib/format/iso-time';
import type { ClientState } from '@/lib/observation/client-state';
import type { DeclaredSource, Observation } from '@/lib/observation/observation';
import type { ResourceRow } from '@/lib/observation/resource-row';
import { buildClientDetail } from '@/lib/views/client/build-client-summary';
import { buildResourceRows } from '@/lib/views/client/build-resource-rows';
import type { FreshnessOf } from '@/lib/views/client/choose-report';
import { findConnections, type ReportedConnections } from '@/lib/views/client/find-connections';
import type { ClientDetail } from '@/lib/views/client/schema';
import type { Moment } from '@/lib/views/fields/moment';
import { findTestClient, type ReportedTestClient } from '@/lib/views/test-client/build-test-client';
import type { EpochMs } from '@/lib/xds/units';
import { badRequest, notFound } from '../../api-error';
import type { Clock } from '../../observe';
import { SharedWork } from '../../workers/shared-work';
import { takeSteps } from '../../workers/threads/take-steps';
import type { Gap } from '../ranges';
import { flushLog } from '../recorder/flush-log';
import type { Recorder } from '../recorder/recorder';
import { fillFromToday } from './fill-from-today';
import { freshnessThen } from './freshness-then';
import type { RequestedMoment } from './parse-moment';

interface ClientAtCacheOptions {
  readonly clock: Clock;
  readonly recorder: Pick<Recorder, 'flushed' | 'stats' | 'readHistory' | 'readClientAt'>;
  /** Returns the current state of a client, or undefined if it is not known, or no longer. */
  readonly findToday: (clientId: string) => ClientState | undefined;
  /** Returns undefined if the log declares no such source. */
  readonly findSource?: (sourceId: string) => DeclaredSource | undefined;
  /** Returns what was missing in an imported file. Without this function, no client is imported. */
  readonly gapsOfFile?: (clientId: string) => readonly Gap[];
}

interface StateThen {
  readonly client: ClientState;
  readonly at: EpochMs;
  readonly moment: Moment;
}

export interface ClientThen {
  readonly detail: ClientDetail;
  /** The order is that of buildResourceRows(). */
  readonly rows: readonly ResourceRow[];
  readonly at: EpochMs;
  readonly moment: Moment;
  readonly connections?: ReportedConnections;
  readonly testClient?: ReportedTestClient;
}

/** Limits the rows of all cached times. */
const rowsKept = 200_000;
const momentsKept = 50;

/** Folds clients at requested times, and caches them. Requests for a time that is being folded share the result. */
export class ClientAtCache {
  readonly #options: ClientAtCacheOptions;

  readonly #kept: LRUCache<string, ClientThen>;
  readonly #coming = new SharedWork<ClientThen | undefined>();

  constructor(options: ClientAtCacheOptions) {
    this.#options = options;

    this.#kept = new LRUCache({
      max: momentsKept,
      maxSize: rowsKept,
      sizeCalculation: ({ rows }) => 1 + Math.min(rows.length, rowsKept - 1),
    });
  }

  /**
   * `field` is the name of the query parameter. undefined if the log has no such client. Throws 400 for a future time,
   * and 404 for one before the log, or before the client's first observation.
   */
  async find(
    clientId: string,
    requested: RequestedMoment,
    field: string,
    signal?: AbortSignal,
  ): Promise<ClientThen | undefined> {
    const name = `${requested.kind === 'seq' ? `seq:${requested.seq}` : requested.at} ${clientId}`;
    const kept = this.#kept.get(name);
    if (kept !== undefined) return kept;
    this.#assertNotAfterNow(requested, field);
    const then = await this.#coming.run(name, signal, (stop) => this.#make(clientId, requested, field, stop));
    if (then !== undefined) this.#kept.set(name, then);
    return then;
  }

  /** Returns the seq of the client's newest observation, or undefined if there is none. */
  async findLastSeq(clientId: string): Promise<number | undefined> {
    const { recorder } = this.#options;
    await flushLog(recorder);
    return (await recorder.readHistory({ clientId, order: 'desc', limit: 1 }))[0]?.seq;
  }

  /** Throws 400 for a future time, and 404 for an observation that the log does not contain. */
  async findTime(requested: RequestedMoment, field: string): Promise<EpochMs> {
    this.#assertNotAfterNow(requested, field);
    await flushLog(this.#options.recorder);
    return requested.kind === 'time' ? requested.at : this.#timeOf(requested.seq, field);
  }

  /** Folds without caching. undefined if the log has nothing of the client until then. Throws 400 for a future time. */
  async findState(
    clientId: string,
    requested: RequestedMoment,
    field: string,
  ): Promise<StateThen | undefined> {
    return this.#readState(clientId, requested, await this.findTime(requested, field));
  }

  async #make(
    clientId: string,
    requested: RequestedMoment,
    field: string,
    signal: AbortSignal,
  ): Promise<ClientThen | undefined> {
    const at = await this.findTime(requested, field);
    const then = await this.#readState(clientId, requested, at, signal);
    if (then === undefined) {
      const today = this.#options.findToday(clientId);
      if (today === undefined && (await this.findLastSeq(clientId)) === undefined) return undefined;
      throw this.#tooEarly(clientId, at, field);
    }
    const { client, moment } = then;
    const withSource: FreshnessOf = (report, id) => ({
      ...freshnessThen(report, id),
      source: this.#options.findSource?.(report.sourceId),
    });
    const rows = await takeSteps(buildResourceRows(client, withSource));
    const connections = findConnections(client, withSource);
    const detail = buildClientDetail(client, withSource);
    const testClient = findTestClient(client, withSource);
    const reported = { ...(connections && { connections }), ...(testClient && { testClient }) };
    return { detail, rows, at, moment, ...reported };
  }

  async #readState(
    clientId: string,
    requested: RequestedMoment,
    at: EpochMs,
    signal?: AbortSignal,
  ): Promise<StateThen | undefined> {
    const { recorder } = this.#options;
    const moment = requested.kind === 'time' ? requested.at : requested;
    const found = await recorder.readClientAt(clientId, moment, signal);
    const today = this.#options.findToday(clientId);
    const lacking = found?.incomplete || this.#lackingInFile(clientId, at);
    const isWhole = found !== undefined && lacking === '';
    const client = isWhole ? found.client : fillFromToday(found?.client, today, at);
    if (client === undefined) return undefined;
    const incomplete =
      found === undefined
        ? 'the log does not reach back to this moment: what changed since is missing'
        : lacking;
    return { client, at, moment: { at, seq: client.seq, incomplete } };
  }

  #assertNotAfterNow(requested: RequestedMoment, field: string): void {
    const now = this.#options.clock.now();
    if (requested.kind !== 'time' || requested.at <= now) return;
    const expected = `expected a moment that is not after now (${formatIsoTime(now)})`;
    throw badRequest(`${field}: ${expected}, got ${formatIsoTime(requested.at)}`, field);
  }

  /** Returns a sentence about what was missing in the imported file, or "". */
  #lackingInFile(clientId: string, at: EpochMs): string {
    const gap = this.#options.gapsOfFile?.(clientId).findLast(({ fromAt }) => fromAt <= at);
    if (gap === undefined) return '';
    const [from, to] = [formatIsoTime(gap.fromAt), formatIsoTime(gap.toAt)];
    return `what happened from ${from} to ${to} was not recorded: ${gap.reason}`;
  }

  async #timeOf(seq: number, field: string): Promise<EpochMs> {
    const query = { afterSeq: seq - 1, beforeSeq: seq + 1, limit: 1, order: 'asc' } as const;
    const { recorder } = this.#options;
    const [row] = await recorder.readHistory(query);
    const { newestSeq } = recorder.stats();
    if (seq > newestSeq) {
      throw badRequest(`${field}: expected at most event ${newestSeq}, the newest, got ${seq}`, field);
    }
    if (row !== undefined) return (JSON.parse(row.json) as Observation).at;
    throw notFound('Moment', `${field}: event ${seq} is not in the log: ${this.#extent()}`);
  }

  #tooEarly(clientId: string, at: EpochMs, field: string) {
    const when = formatIsoTime(at);
    return notFound(
      'Moment',
      `${field}: the log reports nothing of the client ${JSON.stringify(clientId)} up to ${when}: ${this.#extent()}`,
    );
  }

  #extent(): string {
    const { oldestAt } = this.#options.recorder.stats();
    return oldestAt === undefined ? 'it is empty' : `it begins at ${formatIsoTime(oldestAt)}`;
  }
}
