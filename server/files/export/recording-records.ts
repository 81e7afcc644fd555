import { by } from '@/lib/collections/compare';
import type { ClientState } from '@/lib/observation/client-state';
import type { DeclaredSource, Observation, Recorded } from '@/lib/observation/observation';
import type { ResourceState } from '@/lib/observation/resource-state';
import { ownVantages } from '@/lib/observation/vantage';
import type { EpochMs } from '@/lib/xds/units';
import { boundedCache } from '../../bounded-cache';
import type { LoadReader } from '../../live/load/load-reader';
import type { Body } from '../../observe';
import type { HistoryFilter } from '../../store/history-query';
import type { Recorder } from '../../store/recorder/recorder';
import type { FileGap, FileHeader, FileLabel, FileRecord } from '../xdscope-format/file-record';
import type { FileSource } from '../xdscope-format/observation-shape';

type ExportRecorder = Pick<
  Recorder,
  'readHistory' | 'readObservationTexts' | 'readClientAt' | 'readBodies' | 'readBody' | 'readGaps'
>;

interface ExportedClient {
  readonly clientId: string;
  readonly nodeId: string;
  readonly scope: string;
}

export interface ExportRequest {
  /** Both are inclusive. Absent for the beginning of the log, or for now. */
  readonly from?: EpochMs;
  readonly to?: EpochMs;
  /** Absent for all clients except imported ones. */
  readonly clientId?: string;
  /** The exported clients, including `clientId`. */
  readonly clients: readonly ExportedClient[];
  /** Pinned ranges. */
  readonly labels?: readonly FileLabel[];
  /** The gaps of an imported client's own file; the gaps of the log if absent. */
  readonly gaps?: readonly FileGap[];
  /** Undefined if the log does not declare the source. */
  readonly findSource: (sourceId: string) => DeclaredSource | undefined;
  readonly madeBy: string;
  readonly madeAt: EpochMs;
  /** Reading ends with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
}

/** The records of a range of the log for a file. `missingBodies` is complete once all records were read. */
export class RecordingRecords {
  readonly #recorder: ExportRecorder;
  readonly #loads: Pick<LoadReader, 'excerptParts'>;
  readonly #request: ExportRequest;

  missingBodies = 0;
  /** Bodies that are in the file. Beyond the limit, the oldest are written again. */
  readonly #written = boundedCache<true>(200_000);

  readonly #declared = new Set<string>();

  constructor(recorder: ExportRecorder, loads: Pick<LoadReader, 'excerptParts'>, request: ExportRequest) {
    this.#recorder = recorder;
    this.#loads = loads;
    this.#request = request;
  }

  async *read(): AsyncGenerator<FileRecord> {
    for await (const record of this.#readAll()) {
      this.#request.signal?.throwIfAborted();
      yield record;
    }
  }

  async *#readAll(): AsyncGenerator<FileRecord> {
    const request = this.#request,
      recorder = this.#recorder;
    const range = await this.#findRange();
    yield { kind: 'header', header: this.#header() };
    for (const client of request.clients) yield* this.#readState(client.clientId, range);
    if (range !== undefined) yield* this.#readRange(range);
    yield* this.#readLoad();
    const gaps = request.gaps ?? (await recorder.readGaps(request.from, request.to));
    if (gaps.length > 0) yield { kind: 'gaps', gaps };
    const { labels = [] } = request;
    if (labels.length > 0) yield { kind: 'labels', labels };
  }

  #header(): FileHeader {
    const { from, to, clients, madeBy, madeAt } = this.#request;
    return {
      madeBy,
      madeAt,
      from: from ?? null,
      to: to ?? null,
      clients: clients
        .slice(0, listedClients)
        .map(({ clientId, nodeId, scope }) => ({ clientId, nodeId, scope })),
      clientsLeftOut: Math.max(0, clients.length - listedClients),
      redaction: redactionNote,
      notes: [],
    };
  }

  /**
   * The sequence numbers of the range, without gaps, so that the fold of the initial state and the range is exact;
   * undefined if there is no observation.
   */
  async #findRange(): Promise<SeqRange | undefined> {
    const { from, to, clientId } = this.#request;
    const filter: HistoryFilter = clientId === undefined ? { vantages: ownVantages } : { clientId };
    const [first] = await this.#recorder.readHistory({ ...filter, from, limit: 1, order: 'asc' });
    const [last] = await this.#recorder.readHistory({ ...filter, to, limit: 1, order: 'desc' });
    if (first === undefined || last === undefined || first.seq > last.seq) return undefined;
    return { firstSeq: first.seq, lastSeq: last.seq };
  }

  /** The load that clients reported, at the stored resolution. */
  async *#readLoad(): AsyncGenerator<FileRecord> {
    const { from = Number.NEGATIVE_INFINITY, to = this.#request.madeAt, clientId } = this.#request;
    const reported = new Set<number>();
    const query = { span: { from, to: to + 1 }, clientId };
    for await (const { series, values } of this.#loads.excerptParts(query, this.#request.signal)) {
      const fresh = series.filter(({ id }) => !reported.has(id));
      for (const { id } of fresh) reported.add(id);
      yield { kind: 'load', load: { series: fresh, values } };
    }
  }

  async *#readState(clientId: string, range: SeqRange | undefined): AsyncGenerator<FileRecord> {
    const { to, madeAt } = this.#request;
    const before = range === undefined ? (to ?? madeAt) : { seq: range.firstSeq - 1 };
    const found = await this.#recorder.readClientAt(clientId, before, this.#request.signal);
    if (found === undefined) return;
    const { node, scope } = found.client;
    for (const { resources, ...whole } of sortedReports(found.client)) {
      const { connections: _connections, testClient: _testClient, ...rest } = whole;
      const all = [...resources.values()];
      for (let at = 0; at === 0 || at < all.length; at += rowsPerState) {
        const rows = all.slice(at, at + rowsPerState);
        const report = at === 0 ? whole : rest;
        yield* this.#readSources([report]);
        yield* this.#readBodies(rows.flatMap(bodiesOfRow));
        yield { kind: 'states', states: [{ clientId, node, scope, report, rows }] };
      }
    }
  }

  async *#readRange({ firstSeq, lastSeq }: SeqRange): AsyncGenerator<FileRecord> {
    const { clientId } = this.#request;
    for (let afterSeq = firstSeq - 1; ; ) {
      const query = {
        clientId,
        afterSeq,
        beforeSeq: lastSeq + 1,
        limit: observationsAtOnce,
        order: 'asc',
      } as const;
      const page = await this.#recorder.readObservationTexts(query, this.#request.signal);
      const last = page.at(-1);
      if (last === undefined) return;
      afterSeq = last.seq;
      const observations: Recorded[] = [];
      for (const { seq, json } of page) {
        const observation = { ...(JSON.parse(json) as Observation), seq };
        if (clientId !== undefined || observation.vantage !== 'dump') observations.push(observation);
      }
      yield* this.#readSources(observations);
      yield* this.#readBodies(observations.flatMap(bodiesOf));
      if (observations.length > 0) yield { kind: 'observations', observations };
    }
  }

  /** Yields the declarations that are not in the file yet. */
  *#readSources(named: readonly { readonly sourceId: string }[]): Generator<FileRecord> {
    const sources: FileSource[] = [];
    for (const { sourceId } of named) {
      if (this.#declared.has(sourceId)) continue;
      this.#declared.add(sourceId);
      const declared = this.#request.findSource(sourceId);
      if (declared !== undefined) sources.push({ sourceId, ...declared });
    }
    if (sources.length > 0) yield { kind: 'sources', sources };
  }

  /** Yields the bodies that are not in the file yet. */
  async *#readBodies(named: readonly NamedBody[]): AsyncGenerator<FileRecord> {
    const wanted = new Map<string, NamedBody>();
    for (const body of named) {
      const key = `${body.hash} ${body.typeUrl}`;
      if (this.#written.has(key)) continue;
      this.#written.set(key, true);
      wanted.set(key, body);
    }
    const all = [...wanted.values()];
    for (let at = 0; at < all.length; at += bodiesAtOnce) {
      const page = all.slice(at, at + bodiesAtOnce);
      const hashes = page.map(({ hash }) => hash);
      const found = await this.#recorder.readBodies(hashes, this.#request.signal);
      const bodies: Body[] = [];
      for (const { hash, typeUrl } of page) {
        const body = found.get(hash);
        // The same bytes may be stored under several types, such as an empty message.
        const own =
          body?.typeUrl === typeUrl ? body : ((await this.#recorder.readBody(hash, typeUrl)) ?? body);
        if (own === undefined) this.missingBodies += 1;
        else bodies.push(own);
      }
      if (bodies.length > 0) yield { kind: 'bodies', bodies };
    }
  }
}

interface SeqRange {
  readonly firstSeq: number;
  readonly lastSeq: number;
}

interface NamedBody {
  readonly hash: string;
  readonly typeUrl: string;
}

const listedClients = 1_000;
const rowsPerState = 200;
const observationsAtOnce = 200;
/** A body may take several MB. */
const bodiesAtOnce = 50;
const redactionNote =
  'Secrets were replaced by markers before anything was recorded: private keys, tokens and passwords are not in this file.';

function sortedReports({ reports }: ClientState) {
  return [...reports.values()].sort(by(({ lastChangedAt }) => lastChangedAt));
}

function bodiesOf(observation: Observation): NamedBody[] {
  const rows = 'changed' in observation ? observation.changed.flatMap(bodiesOfRow) : [];
  if (observation.kind !== 'response-received') return rows;
  const { typeUrl } = observation;
  return [...rows, ...observation.resources.map(({ hash }) => ({ hash, typeUrl }))];
}

function bodiesOfRow({
  typeUrl,
  hash,
  errorState,
  otherVersions = [],
}: Pick<ResourceState, 'typeUrl' | 'hash' | 'otherVersions'> & {
  readonly errorState: { readonly failedHash: string | null } | null;
}): NamedBody[] {
  const others = otherVersions.map((other) => other.hash);
  return [hash, errorState?.failedHash ?? null, ...others].flatMap((each) =>
    each === null ? [] : [{ hash: each, typeUrl }],
  );
}
