import type { Clock } from '../observe';
import { AdsStream } from './ads-stream';
import {
  type AdsRequest,
  type AdsStep,
  type AdsStreamState,
  initialAdsStreamState,
  type JudgedResponse,
  onResponse,
  onStreamClosed,
  onStreamOpened,
  type Subscription,
  subscribe,
} from './ads-stream-state';
import type { ResponseEnvelope } from './decode-response';
import type { ResourceCodec } from './resource-codec';
import { StreamBackoff } from './stream-backoff';
import type { StreamEnd, Transport } from './transport';
import type { XdsNode } from './xds-node';

/** Upward: what a channel tells the client that owns it. */
export interface XdsChannelHandler {
  /** A stream is tried. If no connection comes about, onStreamClosed is all that follows. */
  onConnecting(): void;
  /** The stream is on a connection that is ready. */
  onStreamOpened(streamId: string): void;
  onSubscriptionSent(streamId: string, request: AdsRequest): void;
  /** To be answered with answer() before the promise settles. */
  onResponse(streamId: string, response: ResponseEnvelope): Promise<void>;
  onStreamClosed(streamId: string, end: ChannelStreamEnd): void;
}

export interface ChannelStreamEnd extends StreamEnd {
  /** Was onStreamOpened told? */
  readonly wasOpened: boolean;
  readonly hadResponse: boolean;
  /** gRFC A57: it ended before any response. Or with one that nobody can read. */
  readonly isFailure: boolean;
  /** null when nobody wants a next stream. */
  readonly retryInMs: number | null;
}

export interface XdsChannelOptions {
  readonly node: XdsNode;
  readonly codec: ResourceCodec;
  readonly clock: Clock;
  readonly random: () => number;
  /** Makes the transport of one start; closed by stop(). */
  readonly dial: () => Transport;
  /** Unique for each stream, also over restarts of the process. */
  readonly nextStreamId: () => string;
  /** A connection that is not ready by then is given up and tried anew. */
  readonly connectTimeoutMs: number;
}

/** One management server: its connection, one ADS stream at a time, and what outlives a stream. */
export class XdsChannel {
  /** Versions survive the stream; the state itself knows what does not. */
  #state: AdsStreamState = initialAdsStreamState;
  readonly #backoff: StreamBackoff;
  #transport: Transport | null = null;
  #stream: AdsStream | null = null;
  /** Handed to a stream that is not connected yet. Reset with each stream. */
  #unsent: AdsRequest[] = [];
  #openedAt = 0;
  #connectTimer: { cancel(): void } | null = null;
  #retryTimer: { cancel(): void } | null = null;
  /** Resolves when the last stream of a stopped channel has ended. */
  #onIdle: (() => void) | null = null;

  constructor(
    private readonly options: XdsChannelOptions,
    private readonly handler: XdsChannelHandler,
  ) {
    this.#backoff = new StreamBackoff(options.random);
  }

  start(): void {
    if (this.#transport !== null) return;
    this.#transport = this.options.dial();
    this.#open();
  }

  /** Ends stream, timers and connection; resolves when nothing of them is left. Versions stay, for the next start. */
  async stop(): Promise<void> {
    const transport = this.#transport;
    this.#transport = null;
    this.#retryTimer?.cancel();
    this.#retryTimer = null;
    this.#backoff.reset();
    if (this.#stream !== null) {
      const idle = new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
      this.#stream.cancel('not-wanted');
      await idle;
    }
    transport?.close();
  }

  subscribe(typeUrl: string, subscription: Subscription): void {
    this.#take(subscribe(this.#state, typeUrl, subscription));
  }

  /** The ACK or NACK that went out; undefined for a type that was never asked for. */
  answer(response: JudgedResponse): AdsRequest | undefined {
    const { state, requests } = onResponse(this.#state, response);
    this.#state = state;
    for (const request of requests) this.#stream?.send(request, this.options.node);
    return requests[0];
  }

  #open(): void {
    const { clock, codec, nextStreamId, connectTimeoutMs } = this.options;
    if (this.#transport === null) return;
    this.#retryTimer = null;
    this.#openedAt = clock.now();
    this.#connectTimer = clock.setTimeout(() => this.#stream?.cancel('not-connected'), connectTimeoutMs);
    this.#stream = new AdsStream(nextStreamId(), this.#transport, codec, {
      onConnected: ({ id }) => this.#onConnected(id),
      onResponse: ({ id }, response) => this.handler.onResponse(id, response),
      onEnd: (stream, end) => this.#onEnd(stream, end),
    });
    this.handler.onConnecting();
    this.#take(onStreamOpened(this.#state));
  }

  #onConnected(streamId: string): void {
    this.#stopConnectTimer();
    this.handler.onStreamOpened(streamId);
    for (const request of this.#unsent.splice(0)) this.handler.onSubscriptionSent(streamId, request);
  }

  #take({ state, requests }: AdsStep): void {
    this.#state = state;
    const stream = this.#stream;
    if (stream === null) return;
    for (const request of requests) {
      stream.send(request, this.options.node);
      if (stream.isConnected) this.handler.onSubscriptionSent(stream.id, request);
      else this.#unsent.push(request);
    }
  }

  #onEnd(stream: AdsStream, end: StreamEnd): void {
    this.#stopConnectTimer();
    this.#stream = null;
    this.#unsent = [];
    this.#state = onStreamClosed(this.#state);
    const { hadResponse, isConnected: wasOpened } = stream;
    const isFailure = !hadResponse || stream.isFaulty;
    const livedMs = this.options.clock.now() - this.#openedAt;
    const retryInMs = this.#transport === null ? null : this.#backoff.nextDelayMs({ isFailure, livedMs });
    this.handler.onStreamClosed(stream.id, { ...end, wasOpened, hadResponse, isFailure, retryInMs });
    if (retryInMs !== null && this.#transport !== null) {
      this.#retryTimer = this.options.clock.setTimeout(() => this.#open(), retryInMs);
    }
    this.#onIdle?.();
    this.#onIdle = null;
  }

  #stopConnectTimer(): void {
    this.#connectTimer?.cancel();
    this.#connectTimer = null;
  }
}
