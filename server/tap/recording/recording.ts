import { LRUCache } from 'lru-cache';
import type { EpochMs } from '@/lib/xds/units';
import { clientIdOf } from '../../client-id';
import type { Codec } from '../../codec/codec';
import { readNodeInfo } from '../../codec/node-info';
import { redactObservation } from '../../codec/secrets/redact-observation';
import { LoadLedger } from '../../lrs/load-ledger';
import type { Emission } from '../../observe';
import type { CopyBatch, CopyEvent, Direction } from '../copy-events';
import { recordedMethod } from '../recorded-paths';
import type { MessageHandler, OpenedStream, Receipt, Reported, Speaker } from '../recorded-stream';
import { ClientHoldings } from './client-holdings';
import { describeEnd } from './describe-end';
import { DiscoveryStream } from './discovery-stream';
import { LoadStream } from './load-stream';
import { MessageReader } from './message-reader';
import { ResourceReader } from './resource-reader';
import { UnfinishedMessages } from './unfinished-messages';

export interface RecordingOptions {
  readonly codec: Codec;
  readonly onEmission: (tap: number, emission: Emission) => void;
  /** What could not be read, in words. */
  readonly onNote: (tap: number, note: string) => void;
  /** All that passed it is reported. */
  readonly onTapClosed: (tap: number) => void;
  /** Of messages that are not whole yet, of one tap. */
  readonly maxUnfinishedBytes?: number;
}

interface Stream {
  readonly opened: OpenedStream;
  readonly handler: MessageHandler;
  readonly readers: Readonly<Record<Direction, MessageReader>>;
  /** Of the newest response, while the client has said nothing behind it. */
  lastResponseBytes: number;
}

/** Clients without a stream are remembered, so that one that comes back is known; so many rows of them. */
const maxIdleRows = 500_000;
const maxStreams = 50_000;
const defaultMaxUnfinishedBytes = 256 * 1024 * 1024;

/** Makes observations of copies of streams. What it holds is what clients hold: a fold of what passed. */
export class Recording {
  readonly #streams = new Map<string, Stream>();
  readonly #sourceIds = new Map<number, string>();
  /** Streams that were there before this one: who speaks on them. */
  readonly #known = new Map<string, Speaker>();
  readonly #active = new Map<string, ClientHoldings>();
  readonly #idle = new LRUCache<string, ClientHoldings>({
    maxSize: maxIdleRows,
    sizeCalculation: ({ rowCount }) => rowCount + 10,
  });
  /** Of a tap and a client. */
  readonly #openStreams = new Map<string, number>();
  /** Of a tap. */
  readonly #unfinished = new Map<number, UnfinishedMessages<Stream>>();
  readonly #reader: ResourceReader;
  readonly #ledger = new LoadLedger();

  constructor(private readonly options: RecordingOptions) {
    this.#reader = new ResourceReader(options.codec);
  }

  addTap(tap: number, sourceId: string): void {
    this.#sourceIds.set(tap, sourceId);
  }

  addKnown(streamId: string, speaker: Speaker): void {
    this.#known.set(streamId, speaker);
  }

  take({ events, bytes }: CopyBatch): void {
    let offset = 0;
    for (const event of events) {
      if (event.kind !== 'data') {
        this.#takeEvent(event);
        continue;
      }
      const chunk = Buffer.from(bytes, offset, event.sizeBytes);
      offset += event.sizeBytes;
      this.#takeChunk(event, chunk);
    }
  }

  #takeEvent(event: Exclude<CopyEvent, { kind: 'data' }>): void {
    if (event.kind === 'tap-closed') {
      this.#sourceIds.delete(event.tap);
      this.#unfinished.delete(event.tap);
      this.options.onTapClosed(event.tap);
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
        stream.handler.onGap();
        const { messages, bytes, from, reason } = event;
        this.#emitDropped(stream, at, { messages, bytes, from, reason });
        return;
      }
      case 'closed':
        this.#close(streamId, at, event);
    }
  }

  #open(opened: OpenedStream, encoding: string): void {
    const { streamId, tap, path } = opened;
    if (this.#streams.size >= maxStreams) {
      this.options.onNote(tap, `more than ${maxStreams} streams at once: the newest are not recorded`);
      return;
    }
    const known = this.#known.get(streamId) ?? null;
    this.#known.delete(streamId);
    if (known !== null) this.#count(tap, known);
    const method = recordedMethod(path);
    const common = {
      opened,
      known,
      emit: (reported: Reported, at: EpochMs, bodies: Emission['bodies'] = []) =>
        this.#emit(tap, reported, at, bodies),
      identify: (node: object | null) => {
        const speaker = this.#identify(node);
        this.#count(tap, speaker);
        return speaker;
      },
      onUnreadable: (reason: string) => this.options.onNote(tap, `not recorded: ${reason}`),
    };
    const handler =
      method === undefined
        ? new LoadStream({ ...common, ledger: this.#ledger })
        : new DiscoveryStream({
            ...common,
            method,
            reader: this.#reader,
            holdingsOf: (clientId) => this.#holdingsOf(`${tap} ${clientId}`),
          });
    const readers = { up: new MessageReader(), down: new MessageReader() };
    readers.up.encoding = encoding;
    this.#streams.set(streamId, { opened, handler, readers, lastResponseBytes: 0 });
  }

  #takeChunk(event: Extract<CopyEvent, { kind: 'data' }>, chunk: Buffer): void {
    const stream = this.#streams.get(event.streamId);
    if (stream === undefined) return;
    const { direction, at, clockMs } = event;
    const receipt: Receipt = { at, clockMs };
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
    }
    this.#bound(stream, at);
  }

  /** Messages that never end must not fill the memory, however many they are. */
  #bound(stream: Stream, at: EpochMs): void {
    const { maxUnfinishedBytes = defaultMaxUnfinishedBytes } = this.options;
    const { tap } = stream.opened;
    const unfinished = this.#unfinished.get(tap) ?? new UnfinishedMessages<Stream>(maxUnfinishedBytes);
    this.#unfinished.set(tap, unfinished);
    for (const largest of unfinished.hold(stream, heldBytes(stream))) {
      const bytes = heldBytes(largest);
      const readers = Object.values(largest.readers).filter(({ heldBytes: held }) => held > 0);
      for (const reader of readers) reader.giveUp();
      const reason = `more than ${maxUnfinishedBytes} bytes of messages that had begun and were not whole`;
      this.#emitDropped(largest, at, { messages: readers.length, bytes, from: at, reason });
      this.options.onNote(tap, `not recorded: ${reason}`);
    }
  }

  #emitDropped(
    { opened, handler }: Stream,
    at: EpochMs,
    dropped: {
      readonly messages: number;
      readonly bytes: number;
      readonly from: EpochMs;
      readonly reason: string;
    },
  ): void {
    const { tap, streamId } = opened;
    const clientId = handler.speaker?.clientId;
    if (clientId !== undefined) {
      this.#emit(tap, { kind: 'copies-dropped', clientId, streamId, ...dropped }, at, []);
    }
  }

  #close(streamId: string, at: EpochMs, end: { readonly code: string; readonly details: string }): void {
    const stream = this.#streams.get(streamId);
    this.#streams.delete(streamId);
    if (stream !== undefined) this.#unfinished.get(stream.opened.tap)?.release(stream);
    const speaker = stream?.handler.speaker ?? this.#known.get(streamId);
    this.#known.delete(streamId);
    stream?.handler.onClosed();
    if (speaker === undefined || speaker === null) return;
    const { clientId } = speaker;
    const tap = stream?.opened.tap;
    if (tap === undefined) return;
    const key = `${tap} ${clientId}`;
    const othersOpen = Math.max(0, (this.#openStreams.get(key) ?? 1) - 1);
    if (othersOpen > 0) this.#openStreams.set(key, othersOpen);
    else this.#openStreams.delete(key);
    const others = othersOpen > 0 ? { othersOpen } : {};
    const { hadResponse } = stream?.handler ?? { hadResponse: true };
    const { lastResponseBytes, readers } = stream ?? {};
    const details = describeEnd(end.details, {
      cutResponseBytes: readers?.down.begunBytes,
      lastResponseBytes,
    });
    const reported = {
      kind: 'stream-closed',
      clientId,
      streamId,
      code: end.code,
      details,
      hadResponse,
    } as const;
    this.#emit(tap, { ...reported, ...others }, at, []);
    this.#rest(key);
  }

  #count(tap: number, { clientId }: Speaker): void {
    const key = `${tap} ${clientId}`;
    this.#openStreams.set(key, (this.#openStreams.get(key) ?? 0) + 1);
  }

  #identify(node: object | null): Speaker {
    const info = readNodeInfo(node, (json) => this.options.codec.redactNode(json));
    return { clientId: clientIdOf(info.id, ''), node: info };
  }

  #holdingsOf(key: string): ClientHoldings {
    const holdings = this.#active.get(key) ?? this.#idle.get(key) ?? new ClientHoldings();
    this.#idle.delete(key);
    this.#active.set(key, holdings);
    return holdings;
  }

  #rest(key: string): void {
    const holdings = this.#active.get(key);
    if (holdings === undefined || holdings.openStreams > 0) return;
    this.#active.delete(key);
    this.#idle.set(key, holdings);
  }

  #emit(tap: number, reported: Reported, at: EpochMs, bodies: Emission['bodies']): void {
    const sourceId = this.#sourceIds.get(tap);
    if (sourceId === undefined) return;
    // Envoy, say, puts the message that it rejects into its error, private keys and all.
    const redacted = redactObservation(reported, this.options.codec.redactNode);
    this.options.onEmission(tap, { observation: { ...redacted, at, vantage: 'tap', sourceId }, bodies });
  }
}

function heldBytes({ readers: { up, down } }: Stream): number {
  return up.heldBytes + down.heldBytes;
}
