import { LRUCache } from 'lru-cache';
import type { NodeInfo } from '@/lib/observation/observation';
import { hasStreamPerTarget } from '@/lib/xds/client-scope';
import { loadReportMethod } from '@/lib/xds/load-report-method';
import type { EpochMs } from '@/lib/xds/units';
import { identifyClient } from '../../../client-id';
import type { Codec } from '../../../codec/codec';
import { readNodeInfo } from '../../../codec/node-info';
import type { Emission, Reported } from '../../../observe';
import { decodeLoadReport } from '../../lrs/decode-load-report';
import { LoadLedger } from '../../lrs/load-ledger';
import type { CopyBatch, CopyEvent, Direction, PollEvent } from '../copy-events';
import { recordedMethod } from '../recorded-paths';
import type {
  Dropped,
  Emit,
  MessageHandler,
  OpenedStream,
  Receipt,
  RecordedClient,
  StreamClient,
} from '../recorded-stream';
import { maxIdleRows } from '../recorded-stream';
import { ClientHoldings } from './client-holdings';
import { describeEnd } from './describe-end';
import { DiscoveryRecorder } from './discovery-recorder';
import { MessageReader } from './message-reader';
import { ResourceReader } from './resource-reader';
import { type EndOfPolls, RestRecorder } from './rest-recorder';
import { ScopedClients } from './scoped-clients';
import { UnfinishedMessages } from './unfinished-messages';

interface RecordingOptions {
  readonly codec: Codec;
  readonly onEmission: (tap: number, emission: Emission) => void;
  readonly onNote: (tap: number, note: string) => void;
  /** Called after everything of the tap has been reported. */
  readonly onTapClosed: (tap: number) => void;
  /** Limits the incomplete messages of one tap. */
  readonly maxUnfinishedBytes?: number;
}

interface Stream {
  readonly opened: OpenedStream;
  readonly handler: MessageHandler;
  readonly readers: Readonly<Record<Direction, MessageReader>>;
  /** The length of the last response; 0 once the client has sent a message after it. */
  lastResponseBytes: number;
}

const maxStreams = 50_000;
const defaultMaxUnfinishedBytes = 256 * 1024 * 1024;

/** Emits observations for the copies of streams. Its state contains the resources that the clients hold. */
export class Recording {
  readonly #options: RecordingOptions;
  readonly #streams = new Map<string, Stream>();
  readonly #sourceIds = new Map<number, string>();
  /** The clients of streams that an earlier recording thread has identified. */
  readonly #known = new Map<string, { readonly tap: number; readonly client: StreamClient }>();
  readonly #active = new Map<string, ClientHoldings>();
  readonly #idle = new LRUCache<string, ClientHoldings>({
    maxSize: maxIdleRows,
    sizeCalculation: ({ rowCount }) => rowCount + 10,
  });
  /** The number of open streams by tap and client. */
  readonly #openStreams = new Map<string, number>();
  readonly #unfinished = new Map<number, UnfinishedMessages<Stream>>();
  /** The streams with a response that may not be answered. */
  readonly #waiting = new Set<Stream>();
  readonly #reader: ResourceReader;
  readonly #rest: RestRecorder;
  readonly #ledger = new LoadLedger();
  readonly #scoped = new ScopedClients();

  constructor(options: RecordingOptions) {
    this.#options = options;
    this.#reader = new ResourceReader(options.codec);
    this.#rest = new RestRecorder({
      codec: options.codec,
      reader: this.#reader,
      emitOf: (tap) => this.#emitOf(tap),
      identify: (tap, node, scope) => this.#identify(tap, node, scope),
      holdingsOf: (tap, { clientId, node }) => this.#holdingsOf(`${tap} ${clientId}`, node),
      onNote: options.onNote,
      onEnd: (end) => this.#emitEnd(end),
    });
  }

  addTap(tap: number, sourceId: string): void {
    this.#sourceIds.set(tap, sourceId);
  }

  /** Must be called before the copies of its streams are recorded. */
  addClient(tap: number, { clientId, node, streamIds, rows, typeVersions }: RecordedClient): void {
    const client = { clientId, node };
    this.#scoped.add(client);
    for (const streamId of streamIds) {
      this.#known.set(streamId, { tap, client });
      this.#count(tap, client);
    }
    const holdings = new ClientHoldings(node);
    holdings.restore(rows, typeVersions);
    const key = `${tap} ${clientId}`;
    if (streamIds.length > 0) this.#active.set(key, holdings);
    else this.#idle.set(key, holdings);
  }

  record({ events, bytes }: CopyBatch): void {
    let offset = 0;
    for (const event of events) {
      const sizeBytes = 'sizeBytes' in event ? event.sizeBytes : 0;
      const chunk = Buffer.from(bytes, offset, sizeBytes);
      offset += sizeBytes;
      if (event.kind === 'data') this.#recordChunk(event, chunk);
      else if ('connectionId' in event) this.#rest.record(event, chunk);
      else this.#recordEvent(event);
    }
  }

  /** Reports responses that clients have not answered. Call it about once a second, when all copies are recorded. */
  checkAnswers(now: EpochMs): void {
    this.#rest.check(now);
    for (const stream of this.#waiting) if (!stream.handler.checkAnswers(now)) this.#waiting.delete(stream);
  }

  #recordEvent(event: Exclude<CopyEvent, PollEvent | { kind: 'data' }>): void {
    if (event.kind === 'tap-closed') {
      this.#rest.onTapClosed(event.tap);
      this.#sourceIds.delete(event.tap);
      this.#unfinished.delete(event.tap);
      this.#options.onTapClosed(event.tap);
      return;
    }
    const { streamId, at } = event;
    switch (event.kind) {
      case 'opened':
        this.#open({ ...event, isLate: event.isLate ?? false }, event.encoding);
        return;
      case 'response-encoding': {
        const stream = this.#streams.get(streamId);
        if (stream !== undefined) stream.readers.down.encoding = event.encoding;
        return;
      }
      case 'gap': {
        const stream = this.#streams.get(streamId);
        if (stream === undefined) return;
        stream.readers.up.reset();
        stream.readers.down.reset();
        stream.lastResponseBytes = 0;
        this.#unfinished.get(stream.opened.tap)?.release(stream);
        const { messages, bytes, from, reason } = event;
        this.#emitDropped(stream, at, { messages, bytes, from, reason });
        stream.handler.onGap(at);
        this.#waiting.add(stream);
        return;
      }
      case 'closed':
        this.#close(streamId, at, event);
    }
  }

  #open(opened: OpenedStream, encoding: string): void {
    const { streamId, tap, path } = opened;
    if (this.#streams.size >= maxStreams) {
      this.#options.onNote(
        tap,
        `expected at most ${maxStreams} streams at a time, got more: the last ones are not recorded`,
      );
      return;
    }
    const known = this.#known.get(streamId)?.client ?? null;
    this.#known.delete(streamId);
    const method = recordedMethod(path);
    const common = {
      opened,
      known,
      emit: this.#emitOf(tap),
      readNode: (node: object | null) => readNodeInfo(node, (json) => this.#options.codec.redactNode(json)),
      onUnreadable: (reason: string) => this.#options.onNote(tap, `not recorded: ${reason}`),
    };
    const handler =
      method === undefined
        ? new LoadStream({
            ...common,
            ledger: this.#ledger,
            identify: (node) => this.#identifyByLoad(tap, node),
          })
        : new DiscoveryRecorder({
            ...common,
            method,
            reader: this.#reader,
            identify: (node, scope) => this.#identify(tap, node, scope),
            holdingsOf: ({ clientId, node }) => this.#holdingsOf(`${tap} ${clientId}`, node),
          });
    const readers = { up: new MessageReader(), down: new MessageReader() };
    readers.up.encoding = encoding;
    this.#streams.set(streamId, { opened, handler, readers, lastResponseBytes: 0 });
  }

  #recordChunk(event: Extract<CopyEvent, { kind: 'data' }>, chunk: Buffer): void {
    const stream = this.#streams.get(event.streamId);
    if (stream === undefined) return;
    const { direction, at, clockMs, repeats } = event;
    const receipt: Receipt = { at, clockMs, ...(repeats !== undefined && { repeats }) };
    for (const message of stream.readers[direction].read(chunk)) {
      if (message.kind === 'unreadable') {
        const { sizeBytes: bytes, reason } = message;
        this.#emitDropped(stream, at, { messages: 1, bytes, from: at, reason });
        continue;
      }
      const { bytes } = message;
      stream.lastResponseBytes = direction === 'up' ? 0 : bytes.length;
      if (direction === 'up') stream.handler.onRequest(bytes, receipt);
      else stream.handler.onResponse(bytes, receipt);
      if (direction === 'down' || stream.handler.client === null) this.#waiting.add(stream);
    }
    this.#limitUnfinished(stream, at);
  }

  /** Limits the memory of incomplete messages. */
  #limitUnfinished(stream: Stream, at: EpochMs): void {
    const { maxUnfinishedBytes = defaultMaxUnfinishedBytes } = this.#options;
    const { tap } = stream.opened;
    const unfinished = this.#unfinished.get(tap) ?? new UnfinishedMessages<Stream>(maxUnfinishedBytes);
    this.#unfinished.set(tap, unfinished);
    for (const largest of unfinished.hold(stream, heldBytes(stream))) {
      const bytes = heldBytes(largest);
      const readers = Object.values(largest.readers).filter(({ heldBytes: held }) => held > 0);
      for (const reader of readers) reader.skip();
      const reason = `expected at most ${maxUnfinishedBytes} bytes of incomplete messages, got more`;
      this.#emitDropped(largest, at, { messages: readers.length, bytes, from: at, reason });
      this.#options.onNote(tap, `not recorded: ${reason}`);
    }
  }

  #emitDropped({ opened, handler }: Stream, at: EpochMs, dropped: Dropped): void {
    const { tap, streamId } = opened;
    const clientId = handler.client?.clientId;
    if (clientId !== undefined) {
      this.#emit(tap, { kind: 'copies-dropped', clientId, streamId, ...dropped }, at, []);
    }
  }

  #close(streamId: string, at: EpochMs, end: { readonly code: string; readonly details: string }): void {
    const stream = this.#streams.get(streamId);
    this.#streams.delete(streamId);
    if (stream !== undefined) this.#waiting.delete(stream);
    if (stream !== undefined) this.#unfinished.get(stream.opened.tap)?.release(stream);
    stream?.handler.onClosed();
    const known = this.#known.get(streamId);
    this.#known.delete(streamId);
    const client = stream?.handler.client ?? known?.client;
    const tap = stream?.opened.tap ?? known?.tap;
    if (client === undefined || tap === undefined) return;
    const { hadResponse } = stream?.handler ?? { hadResponse: true };
    const { lastResponseBytes, readers } = stream ?? {};
    const details = describeEnd(end.details, {
      cutResponseBytes: readers?.down.begunBytes,
      lastResponseBytes,
    });
    this.#emitEnd({ tap, client, streamId, at, code: end.code, details, hadResponse });
  }

  #emitEnd({ tap, client: { clientId }, streamId, at, code, details, hadResponse }: EndOfPolls): void {
    const key = `${tap} ${clientId}`;
    const othersOpen = Math.max(0, (this.#openStreams.get(key) ?? 1) - 1);
    if (othersOpen > 0) this.#openStreams.set(key, othersOpen);
    else this.#openStreams.delete(key);
    const reported = { kind: 'stream-closed', clientId, streamId, code, details, hadResponse } as const;
    this.#emit(tap, { ...reported, ...(othersOpen > 0 && { othersOpen }) }, at, []);
    this.#deactivate(key);
  }

  #emitOf(tap: number): Emit {
    return (reported, at, bodies = []) => this.#emit(tap, reported, at, bodies);
  }

  #identify(tap: number, node: NodeInfo, scope: string): StreamClient {
    const client = { clientId: identifyClient(node, scope), node };
    this.#scoped.add(client);
    this.#count(tap, client);
    return client;
  }

  /** gRPC clients report neither target nor scope over LRS: with a single target of the node, the load is of its client. */
  #identifyByLoad(tap: number, node: NodeInfo): StreamClient {
    const isOpen = ({ clientId }: StreamClient): boolean =>
      [...this.#sourceIds.keys()].some((each) => this.#openStreams.has(`${each} ${clientId}`));
    const scoped = hasStreamPerTarget(node) ? this.#scoped.findOnly(node.id, isOpen) : undefined;
    if (scoped === undefined) return this.#identify(tap, node, '');
    this.#count(tap, scoped);
    return scoped;
  }

  #count(tap: number, { clientId }: StreamClient): void {
    const key = `${tap} ${clientId}`;
    this.#openStreams.set(key, (this.#openStreams.get(key) ?? 0) + 1);
  }

  #holdingsOf(key: string, node: NodeInfo): ClientHoldings {
    const holdings = this.#active.get(key) ?? this.#idle.get(key) ?? new ClientHoldings(node);
    this.#idle.delete(key);
    this.#active.set(key, holdings);
    return holdings;
  }

  #deactivate(key: string): void {
    const holdings = this.#active.get(key);
    if (holdings === undefined || holdings.openStreams > 0) return;
    this.#active.delete(key);
    this.#idle.set(key, holdings);
  }

  #emit(tap: number, reported: Reported, at: EpochMs, bodies: Emission['bodies']): void {
    const sourceId = this.#sourceIds.get(tap);
    if (sourceId === undefined) return;
    // Envoy's error contains the rejected message, which may include private keys.
    const redacted = this.#options.codec.redactObservation(reported);
    this.#options.onEmission(tap, { observation: { ...redacted, at, vantage: 'tap', sourceId }, bodies });
  }
}

function heldBytes({ readers: { up, down } }: Stream): number {
  return up.heldBytes + down.heldBytes;
}

interface LoadStreamOptions {
  readonly opened: OpenedStream;
  readonly emit: Emit;
  readonly readNode: (node: object | null) => StreamClient['node'];
  readonly identify: (node: StreamClient['node']) => StreamClient;
  readonly ledger: LoadLedger;
  readonly known: StreamClient | null;
  readonly onUnreadable: (reason: string) => void;
}

class LoadStream implements MessageHandler {
  readonly #options: LoadStreamOptions;
  hadResponse = false;
  #client: StreamClient | null;
  #isRejected = false;
  #isAdmitted = false;

  constructor(options: LoadStreamOptions) {
    this.#options = options;
    this.#client = options.known;
  }

  get client(): StreamClient | null {
    return this.#isRejected ? null : this.#client;
  }

  onRequest(message: Buffer, { at }: Receipt): void {
    const { opened, emit, readNode, identify, ledger, onUnreadable } = this.#options;
    const report = decodeLoadReport(message);
    if (report.kind === 'malformed') {
      onUnreadable(report.reason);
      return;
    }
    if (this.#isRejected) return;
    const { streamId, server, peer } = opened;
    if (this.#client === null) {
      this.#client = identify(readNode(report.node));
      const { clientId, node } = this.#client;
      const rejection = ledger.admitNode(clientId, node);
      if (rejection !== null) {
        this.#isRejected = true;
        onUnreadable(`load reports: ${rejection}`);
        return;
      }
      this.#isAdmitted = true;
      const reported = { clientId, streamId, server, peer, node, scope: '' };
      emit({ kind: 'stream-opened', method: loadReportMethod, ...reported }, at);
    }
    if (report.clusters.length === 0) return;
    const { clientId, node } = this.#client;
    const { clusters, overflowed } = ledger.fit(report.clusters);
    if (overflowed > 0)
      onUnreadable('the load of clusters and localities beyond the limit of a report was summed');
    emit({ kind: 'load-reported', clientId, node, scope: '', streamId, clusters }, at);
  }

  onResponse(): void {
    this.hadResponse = true;
  }

  onGap(): void {}

  checkAnswers(): boolean {
    return false;
  }

  onClosed(): void {
    if (this.#isAdmitted && this.#client !== null) this.#options.ledger.release(this.#client.clientId);
  }
}
