import type { Clock } from '../observe';
import { AdsStream, adsMethod } from './ads-stream';
import {
  type AdsStep,
  type AdsStreamState,
  initialAdsStreamState,
  onResponse,
  onStreamClosed,
  onStreamOpened,
  subscribe,
} from './ads-stream-state';
import type { ResourceCodec } from './resource-codec';
import { StreamBackoff } from './stream-backoff';
import type { StreamEnd, Transport } from './transport';
import type { JudgedResponse, SentRequest, Subscription, XdsChannel, XdsChannelHandler } from './xds-channel';
import type { XdsNode } from './xds-node';

export interface GrpcXdsChannelOptions {
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
export class GrpcXdsChannel implements XdsChannel {
  /** Versions survive the stream; the state itself knows what does not. */
  #state: AdsStreamState = initialAdsStreamState;
  readonly #backoff: StreamBackoff;
  #transport: Transport | null = null;
  #stream: AdsStream | null = null;
  /** Handed to a stream that is not connected yet. Reset with each stream. */
  #unsent: SentRequest[] = [];
  #openedAt = 0;
  #connectTimer: { cancel(): void } | null = null;
  #retryTimer: { cancel(): void } | null = null;
  /** Resolves when the last stream of a stopped channel has ended. */
  #onIdle: (() => void) | null = null;

  constructor(
    private readonly options: GrpcXdsChannelOptions,
    private readonly handler: XdsChannelHandler,
  ) {
    this.#backoff = new StreamBackoff(options.random);
  }

  start(): void {
    if (this.#transport !== null) return;
    this.#transport = this.options.dial();
    this.#open();
  }

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
  answer(response: JudgedResponse): SentRequest | undefined {
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
    this.handler.onStreamOpened({ streamId, method: adsMethod, typeUrl: null });
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
    const isFailure = this.#transport !== null && (!hadResponse || stream.isFaulty);
    const livedMs = this.options.clock.now() - this.#openedAt;
    const retryInMs = this.#transport === null ? null : this.#backoff.nextDelayMs({ isFailure, livedMs });
    this.handler.onStreamClosed(stream.id, {
      ...end,
      typeUrl: null,
      wasOpened,
      hadResponse,
      isFailure,
      retryInMs,
    });
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
