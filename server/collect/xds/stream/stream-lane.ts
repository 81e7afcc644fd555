import type { DiscoveryMethod } from '@/lib/xds/discovery-methods';
import type { Clock } from '../../../observe';
import type { ResourceCodec } from '../response/resource-codec';
import { StreamBackoff } from './stream-backoff';
import type { StreamRules } from './stream-rules';
import type { StreamEnd, Transport } from './transport';
import {
  isWanted,
  type SentRequest,
  type Subscription,
  type ValidatedResponse,
  type XdsChannelHandler,
} from './xds-channel';
import type { XdsNode } from './xds-node';
import { XdsStream } from './xds-stream';

export interface StreamLaneOptions {
  readonly node: XdsNode;
  readonly codec: ResourceCodec;
  readonly clock: Clock;
  readonly random: () => number;
  /** Returns an id that is unique even across restarts of the process. */
  readonly nextStreamId: () => string;
  /** A connection that is not ready after this time is aborted and retried. */
  readonly connectTimeoutMs: number;
}

/**
 * Consecutive streams of one method, with the state that outlives a stream: subscriptions, versions and back-off. The lane
 * of all types has a stream from start to stop, the lane of one type only while the type is wanted.
 */
export class StreamLane {
  readonly #method: DiscoveryMethod;
  readonly #rules: StreamRules;
  readonly #options: StreamLaneOptions;
  readonly #handler: XdsChannelHandler;
  readonly #backoff: StreamBackoff;
  #transport: Transport | null = null;
  #stream: XdsStream | null = null;
  readonly #wanted = new Set<string>();
  /** Set from the cancellation of the stream, because nothing is wanted, to its end. */
  #isClosing = false;
  /** Requests that were sent before the stream was connected. Reset with each stream. */
  #unsent: SentRequest[] = [];
  #openedAt = 0;
  #connectTimer: { cancel(): void } | null = null;
  #retryTimer: { cancel(): void } | null = null;
  /** Resolves when the last stream of a stopped lane has ended. */
  #onIdle: (() => void) | null = null;

  constructor(
    method: DiscoveryMethod,
    rules: StreamRules,
    options: StreamLaneOptions,
    handler: XdsChannelHandler,
  ) {
    this.#method = method;
    this.#rules = rules;
    this.#options = options;
    this.#handler = handler;
    this.#backoff = new StreamBackoff(options.random);
  }

  start(transport: Transport): void {
    this.#transport = transport;
    if (this.#needsStream()) this.#open();
  }

  /** Ends the stream and the timers. Resolves when the stream has ended. Versions are kept for the next start. */
  async stop(): Promise<void> {
    this.#transport = null;
    this.#stopRetryTimer();
    this.#backoff.reset();
    if (this.#stream === null) return;
    const idle = new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
    this.#stream.cancel('not-wanted');
    await idle;
  }

  subscribe(typeUrl: string, subscription: Subscription): void {
    if (isWanted(subscription)) this.#wanted.add(typeUrl);
    else this.#wanted.delete(typeUrl);
    const requests = this.#rules.subscribe(typeUrl, subscription);
    if (!this.#needsStream()) this.#end();
    else if (this.#stream !== null) this.#send(requests);
    else if (this.#retryTimer === null) this.#open();
  }

  /** Returns the sent requests, the ACK or NACK first. */
  answer(response: ValidatedResponse): readonly SentRequest[] {
    const requests = this.#rules.answer(response);
    for (const request of requests) this.#stream?.send(request);
    return requests;
  }

  #needsStream(): boolean {
    return this.#method.type === null || this.#wanted.size > 0;
  }

  /** Ends the stream because no resource of the type is wanted. */
  #end(): void {
    this.#stopRetryTimer();
    if (this.#stream === null || this.#isClosing) return;
    this.#isClosing = true;
    this.#rules.close();
    this.#stream.cancel('not-wanted');
  }

  #open(): void {
    const { clock, codec, node, nextStreamId, connectTimeoutMs } = this.#options;
    const method = this.#method;
    const transport = this.#transport;
    if (transport === null) return;
    this.#retryTimer = null;
    this.#openedAt = clock.now();
    this.#connectTimer = clock.setTimeout(() => this.#stream?.cancel('not-connected'), connectTimeoutMs);
    this.#stream = new XdsStream(
      { id: nextStreamId(), method, transport, codec, node },
      {
        onConnected: ({ id }) => this.#onConnected(id),
        recall: (typeUrl) => this.#handler.recall?.(typeUrl),
        onResponse: ({ id }, response) => this.#handler.onResponse(id, response),
        onEnd: (stream, end) => this.#onEnd(stream, end),
      },
    );
    this.#handler.onConnecting();
    this.#send(this.#rules.open());
  }

  #onConnected(streamId: string): void {
    this.#stopConnectTimer();
    const { path, type } = this.#method;
    this.#handler.onStreamOpened({ streamId, method: path, typeUrl: type?.typeUrl ?? null });
    for (const request of this.#unsent.splice(0)) this.#handler.onSubscriptionSent(streamId, request);
  }

  #send(requests: readonly SentRequest[]): void {
    const stream = this.#stream;
    if (stream === null) return;
    for (const request of requests) {
      stream.send(request);
      if (stream.isConnected) this.#handler.onSubscriptionSent(stream.id, request);
      else this.#unsent.push(request);
    }
  }

  #onEnd(stream: XdsStream, end: StreamEnd): void {
    const { hadResponse, isConnected: wasOpened } = stream;
    const isCancelled = this.#isClosing || this.#transport === null;
    this.#stopConnectTimer();
    this.#stream = null;
    this.#isClosing = false;
    this.#unsent = [];
    this.#rules.close();
    const isFailure = !isCancelled && (!hadResponse || stream.isFaulty || isTooLarge(end));
    const livedMs = this.#options.clock.now() - this.#openedAt;
    const isDone = this.#transport === null || !this.#needsStream();
    const retryInMs = isDone ? null : this.#backoff.nextDelayMs({ isFailure, livedMs });
    // The timer is set before the handler is called, because a subscription must not open a stream during the back-off.
    if (retryInMs !== null) {
      this.#retryTimer = this.#options.clock.setTimeout(() => this.#open(), retryInMs);
    }
    const typeUrl = this.#method.type?.typeUrl ?? null;
    this.#handler.onStreamClosed(stream.id, {
      ...end,
      typeUrl,
      wasOpened,
      hadResponse,
      isFailure,
      retryInMs,
    });
    this.#onIdle?.();
    this.#onIdle = null;
  }

  #stopConnectTimer(): void {
    this.#connectTimer?.cancel();
    this.#connectTimer = null;
  }

  #stopRetryTimer(): void {
    this.#retryTimer?.cancel();
    this.#retryTimer = null;
  }
}

/** A message above the limit would be sent again on the next stream, so it is a failure even after other responses. */
function isTooLarge({ code, details }: StreamEnd): boolean {
  return code === 'RESOURCE_EXHAUSTED' && /larger than (max )?\(?\d/.test(details);
}
