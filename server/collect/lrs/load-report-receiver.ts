import { randomUUID } from 'node:crypto';
import { type Server, type ServerDuplexStream, status } from '@grpc/grpc-js';
import { messageOf } from '@/lib/format/message-of';
import type { ClusterLoad, NodeInfo } from '@/lib/observation/observation';
import { loadReportMethod } from '@/lib/xds/load-report-method';
import type { EpochMs } from '@/lib/xds/units';
import { identifyClient } from '../../client-id';
import { methodOf } from '../../codec/service';
import type { Clock, Observe } from '../../observe';
import { initialSourceStatus, type RunningSource, type SourceStatus } from '../../source-status';
import { serveDuplex } from '../../transport/grpc/duplex-call';
import { Http2GrpcServer } from '../../transport/grpc/http2-grpc-server';
import type { ServedCall } from '../../transport/grpc/stream-call';
import { defaultLedgerLimits, type LedgerLimits, LoadLedger } from './load-ledger';
import { EndpointRejections, encodeLoadReportRequest, type LoadReportRequest } from './load-report-request';
import { LoadReportStream, type LoadReportStreamOptions } from './load-report-stream';

export interface LoadReportReceiverOptions {
  readonly sourceId: string;
  /** The request to clients: by default all clusters every 5 s, without endpoints. */
  readonly request?: Partial<LoadReportRequest>;
  readonly limits?: LedgerLimits;
  readonly observe: Observe;
  readonly clock: Clock;
  /** Redacts secrets in node metadata. */
  readonly codec: { redactNode<T>(json: T): T };
  /** Called after changes of `status`. Changes by reports are collected. */
  readonly onStatus: (status: SourceStatus) => void;
  /** Resolves when all observations have been sent; no stream is read until then. undefined if they have been sent. */
  readonly whenSent?: () => Promise<void> | undefined;
}

export interface LoadReportReceiver extends RunningSource {
  /** Serves LRS on an existing server, as on the lab's management server. */
  addTo(server: Server): void;
  /** Serves LRS on a port of its own, without TLS. Resolves to its address; rejects if it cannot listen. */
  listen(at: ListenAddress): Promise<string>;
}

export interface ListenAddress {
  readonly host?: string;
  /** 0 chooses a free port. */
  readonly port: number;
}

export function createLoadReportReceiver(options: LoadReportReceiverOptions): LoadReportReceiver {
  return new Receiver(options);
}

/** The default of gRPC servers. A report of thousands of localities has a tenth of it. */
const maxMessageBytes = 4 * 1024 * 1024;
const service = 'envoy.service.load_stats.v3.LoadReportingService';
const statusDelayMs = 250;

/**
 * gRPC clients report neither target nor scope over LRS, so a client is identified by its node id. If CSDS reports a
 * scope (C-core since 2023), the two are two clients of one node.
 */
const scope = '';

interface Reporter {
  readonly clientId: string;
  readonly node: NodeInfo;
  readonly endpointsRequested: boolean;
  hasReported: boolean;
}

const usualRequest: LoadReportRequest = { intervalMs: 5_000, clusters: null, endpoints: false };

class Receiver implements LoadReportReceiver {
  readonly #options: LoadReportReceiverOptions;

  /** The client of each stream, which the first message sets. */
  readonly #streams = new Map<LoadReportStream, Reporter | null>();
  /** Numbers of open streams by client. A client ends with its last stream. */
  readonly #streamCounts = new Map<string, number>();
  readonly #request: LoadReportRequest;
  readonly #response: Buffer;
  /** The response to clients that reject requests for endpoints. */
  readonly #lesserResponse: Buffer;
  readonly #rejections: EndpointRejections;
  readonly #ledger: LoadLedger;
  /** The map is modified, because a copy of thousands of clients would cost more than a report. */
  readonly #clients = new Map<string, EpochMs>();
  #status: SourceStatus;
  #statusTimer: { cancel(): void } | null = null;
  #ownServer: Http2GrpcServer | null = null;
  #isClosed = false;
  readonly #streamOptions: LoadReportStreamOptions;
  /** Number of rows of reports that were added up because of the limit. */
  #overflowed = 0;

  constructor(options: LoadReportReceiverOptions) {
    this.#options = options;
    const { limits = defaultLedgerLimits } = options;
    this.#request = { ...usualRequest, ...options.request };
    this.#ledger = new LoadLedger(limits);
    const { intervalMs } = this.#request;
    this.#status = { ...initialSourceStatus, intervalMs, clients: this.#clients };
    this.#response = encodeLoadReportRequest(this.#request);
    this.#lesserResponse = encodeLoadReportRequest({ ...this.#request, endpoints: false });
    this.#rejections = new EndpointRejections(() => options.clock.now());
    this.#streamOptions = {
      responseTo: (stream) =>
        this.#streams.get(stream)?.endpointsRequested === false ? this.#lesserResponse : this.#response,
      redactNode: (json) => options.codec.redactNode(json),
      whenSent: () => options.whenSent?.(),
      handler: {
        onNode: (stream, node) => this.#onNode(stream, node),
        onReport: (stream, clusters, sizeBytes) => this.#onReport(stream, clusters, sizeBytes),
        onRejected: (_stream, reason) => this.#onRejected(reason),
        onEnd: (stream, end) => this.#onEnd(stream, end),
      },
    };
  }

  get status(): SourceStatus {
    return this.#status;
  }

  start(): void {
    this.#set({ state: 'up', problem: null });
  }

  pause(): void {
    this.#set({ state: 'paused' });
    this.#stopStreams('paused by the operator');
  }

  resume(): void {
    this.start();
  }

  async close(): Promise<void> {
    this.#set({ state: 'paused' });
    this.#stopStreams('xdscope is stopping');
    this.#isClosed = true;
    this.#statusTimer?.cancel();
    this.#statusTimer = null;
    this.#ownServer?.close();
    this.#ownServer = null;
  }

  addTo(server: Server): void {
    server.addService(
      { StreamLoadStats: methodOf(service, 'StreamLoadStats') },
      {
        StreamLoadStats: (call: ServerDuplexStream<Buffer, Buffer>) =>
          serveDuplex(call, (served) => this.#accept(served)),
      },
    );
  }

  async listen({ host = '127.0.0.1', port }: ListenAddress): Promise<string> {
    const server = new Http2GrpcServer({
      methods: new Map([
        [methodOf(service, 'StreamLoadStats').path, (call: ServedCall) => this.#accept(call)],
      ]),
      maxMessageBytes,
      clock: this.#options.clock,
      onError: ({ message }) => this.#changed({ notes: [`a connection was not accepted: ${message}`] }),
    });
    this.#ownServer = server;
    const shownHost = host.includes(':') ? `[${host}]` : host;
    try {
      return `${shownHost}:${await server.listen({ host, port })}`;
    } catch (error) {
      const message = `LRS: expected to listen on ${shownHost}:${port}, got: ${messageOf(error)}`;
      this.#set({ state: 'down', problem: { code: 'CANNOT_LISTEN', message, hint: 'Is the port in use?' } });
      throw new Error(message, { cause: error });
    }
  }

  #accept(call: ServedCall): LoadReportStream {
    const stream = new LoadReportStream(randomUUID(), call, this.#streamOptions);
    this.#streams.set(stream, null);
    if (this.#status.state !== 'up') stream.stop(status.UNAVAILABLE, 'this LRS server is paused');
    this.#changed({ lastAttemptAt: this.#options.clock.now() });
    return stream;
  }

  #onNode(stream: LoadReportStream, node: NodeInfo): string | null {
    const clientId = identifyClient(node, scope);
    const rejection = this.#ledger.admitNode(clientId, node);
    if (rejection !== null) return rejection;
    const endpointsRequested = this.#request.endpoints && this.#rejections.mayAsk(clientId);
    this.#streams.set(stream, { clientId, node, endpointsRequested, hasReported: false });
    this.#streamCounts.set(clientId, (this.#streamCounts.get(clientId) ?? 0) + 1);
    const { clock, observe, sourceId } = this.#options;
    const at = clock.now();
    this.#clients.set(clientId, at);
    this.#changed({});
    observe({
      observation: {
        kind: 'stream-opened',
        vantage: 'lrs',
        at,
        sourceId,
        clientId,
        scope,
        streamId: stream.id,
        method: loadReportMethod,
        node,
        ...stream.ends,
      },
      bodies: [],
    });
    return null;
  }

  #onReport(stream: LoadReportStream, report: readonly ClusterLoad[], sizeBytes: number): void {
    const { clock, observe, sourceId } = this.#options;
    const reporter = this.#streams.get(stream);
    if (reporter === null || reporter === undefined) return;
    const { clientId, node } = reporter;
    reporter.hasReported = true;
    const at = clock.now();
    this.#clients.set(clientId, at);
    const { clusters, overflowed } = this.#ledger.fit(report);
    this.#overflowed += overflowed;
    this.#changed({
      ...(overflowed > 0 ? { notes: [this.#overflowNote()] } : {}),
      lastSuccessAt: at,
      lastChangedAt: at,
      answerBytes: sizeBytes,
      answers: this.#status.answers + 1,
    });
    observe({
      observation: {
        kind: 'load-reported',
        vantage: 'lrs',
        at,
        sourceId,
        clientId,
        scope,
        streamId: stream.id,
        node,
        clusters,
      },
      bodies: [],
    });
  }

  #overflowNote(): string {
    const { rowsOfReport } = this.#options.limits ?? defaultLedgerLimits;
    return `expected at most ${rowsOfReport} clusters, localities and drop categories in a report; ${this.#overflowed} beyond that were added up`;
  }

  #onRejected(reason: string): void {
    this.#changed({
      failures: this.#status.failures + 1,
      notes: [`a stream was closed: ${reason}`],
    });
  }

  #onEnd(stream: LoadReportStream, { code, details }: { code: string; details: string }): void {
    const reporter = this.#streams.get(stream);
    this.#streams.delete(stream);
    if (reporter === null || reporter === undefined) return;
    const { clientId, endpointsRequested: requested, hasReported: reported } = reporter;
    this.#ledger.release(clientId);
    // A stream that the receiver ends shows nothing about the client.
    if (this.#status.state === 'up') this.#rejections.noteEnd(clientId, { requested, reported });
    const left = (this.#streamCounts.get(clientId) ?? 1) - 1;
    if (left > 0) this.#streamCounts.set(clientId, left);
    else {
      this.#streamCounts.delete(clientId);
      this.#clients.delete(clientId);
    }
    const { clock, observe, sourceId } = this.#options;
    observe({
      observation: {
        kind: 'stream-closed',
        vantage: 'lrs',
        at: clock.now(),
        sourceId,
        clientId,
        streamId: stream.id,
        code,
        details,
        hadResponse: true,
        ...(left > 0 && { othersOpen: left }),
      },
      bodies: [],
    });
    this.#changed({});
  }

  #stopStreams(why: string): void {
    for (const stream of [...this.#streams.keys()]) stream.stop(status.UNAVAILABLE, why);
  }

  /** Publishes the status immediately. */
  #set(change: Partial<SourceStatus>): void {
    this.#status = { ...this.#status, ...change };
    this.#options.onStatus(this.#status);
  }

  /** Publishes the status soon, together with later changes. */
  #changed(change: Partial<SourceStatus>): void {
    this.#status = { ...this.#status, ...change };
    if (this.#isClosed) return;
    this.#statusTimer ??= this.#options.clock.setTimeout(() => {
      this.#statusTimer = null;
      this.#options.onStatus(this.#status);
    }, statusDelayMs);
  }
}
