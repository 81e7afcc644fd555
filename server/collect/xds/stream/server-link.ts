import type { ErrorModel } from '@/lib/xds/probe-choices';
import type { Clock } from '../../../observe';
import type { ServerConfig } from '../../../transport/bootstrap/server-config';
import type { ResponseEnvelope } from '../response/response-envelope';
import type { ResponseOrder } from '../response/response-order';
import { DelayedAnswers } from './delayed-answers';
import { type ErrorPolicy, errorPolicyOf } from './error-policy';
import {
  type ChannelStreamEnd,
  isWanted,
  type OpenedStream,
  type SentRequest,
  type Subscription,
  type ValidatedResponse,
  type XdsChannel,
  type XdsChannelHandler,
} from './xds-channel';

/** Creates the channel to a server without starting it. */
export type CreateChannel = (server: ServerConfig, handler: XdsChannelHandler) => XdsChannel;

/** Handles the events of a channel, with the link to its server. */
export interface ServerLinkHandler {
  onConnecting(link: ServerLink): void;
  onStreamOpened(link: ServerLink, stream: OpenedStream): void;
  onSubscriptionSent(link: ServerLink, streamId: string, request: SentRequest): void;
  /** Returns the resources that a response of this type may repeat. */
  recall(link: ServerLink, typeUrl: string): ResponseOrder | undefined;
  onResponse(link: ServerLink, streamId: string, response: ResponseEnvelope): Promise<void>;
  onStreamClosed(link: ServerLink, streamId: string, end: ChannelStreamEnd): void;
  heldVersions(link: ServerLink, typeUrl: string): ReadonlyMap<string, string>;
}

interface ServerLinkOptions {
  readonly createChannel: CreateChannel;
  readonly clock: Clock;
  readonly errorModel: ErrorModel;
}

/** One management server and its reachability. Authorities with the same server share it. */
export class ServerLink implements XdsChannelHandler {
  readonly #handler: ServerLinkHandler;
  readonly policy: ErrorPolicy;
  /** Delayed answers. Reset with the stream. */
  readonly delayedAnswers: DelayedAnswers;
  /** The reason why the server cannot be reached, or null if it can or if that is unknown. */
  failure: ChannelStreamEnd | null = null;
  lastStreamId = '';
  readonly #channel: XdsChannel;
  readonly #open = new Map<string, OpenedStream>();
  readonly #answered = new Set<string>();
  readonly #subscribed = new Set<string>();
  #aborter = new AbortController();

  constructor(
    readonly key: string,
    readonly server: ServerConfig,
    { createChannel, clock, errorModel }: ServerLinkOptions,
    handler: ServerLinkHandler,
  ) {
    this.#handler = handler;
    this.policy = errorPolicyOf(errorModel, server);
    this.delayedAnswers = new DelayedAnswers(clock);
    this.#channel = createChannel(server, this);
  }

  get name(): string {
    return this.server.target.text;
  }

  get isFailing(): boolean {
    return this.failure !== null;
  }

  /** Returns whether a stream is open on which this type is requested. */
  isOpenFor(typeUrl: string): boolean {
    return [...this.#open.values()].some((stream) => stream.typeUrl === null || stream.typeUrl === typeUrl);
  }

  /** Aborted by stop(), so that a response is not read further. */
  get signal(): AbortSignal {
    return this.#aborter.signal;
  }

  start(): void {
    this.#aborter = new AbortController();
    this.#channel.start();
  }

  async stop(): Promise<void> {
    this.#aborter.abort();
    this.delayedAnswers.dropAll();
    await this.#channel.stop();
    this.failure = null;
  }

  subscribe(typeUrl: string, subscription: Subscription): void {
    if (!isWanted(subscription) && !this.#subscribed.has(typeUrl)) return;
    this.#subscribed.add(typeUrl);
    this.#channel.subscribe(typeUrl, subscription);
  }

  answer(validated: ValidatedResponse): readonly SentRequest[] {
    return this.#channel.answer(validated);
  }

  onConnecting(): void {
    this.#handler.onConnecting(this);
  }

  onStreamOpened(stream: OpenedStream): void {
    this.#open.set(stream.streamId, stream);
    this.lastStreamId = stream.streamId;
    this.#handler.onStreamOpened(this, stream);
  }

  onSubscriptionSent(streamId: string, request: SentRequest): void {
    this.#handler.onSubscriptionSent(this, streamId, request);
  }

  recall(typeUrl: string): ResponseOrder | undefined {
    return this.#handler.recall(this, typeUrl);
  }

  onResponse(streamId: string, response: ResponseEnvelope): Promise<void> {
    this.#answered.add(streamId);
    this.failure = null;
    return this.#handler.onResponse(this, streamId, response);
  }

  /**
   * A failed stream does not make the server unreachable while another stream is answered, because the server may lack only
   * that type. Neither does a type that the transport cannot request.
   */
  onStreamClosed(streamId: string, end: ChannelStreamEnd): void {
    this.#open.delete(streamId);
    this.#answered.delete(streamId);
    const isRetried = end.retryInMs !== null;
    if (end.isFailure && isRetried && this.#answered.size === 0) this.failure = end;
    if (end.typeUrl === null) this.delayedAnswers.dropAll();
    else this.delayedAnswers.drop(end.typeUrl);
    this.#handler.onStreamClosed(this, streamId, end);
  }

  heldVersions(typeUrl: string): ReadonlyMap<string, string> {
    return this.#handler.heldVersions(this, typeUrl);
  }
}

/** Returns the same text for servers that a client does not distinguish. */
export function serverKeyOf({ target, credentials, callCredentials, features }: ServerConfig): string {
  return JSON.stringify([target.text, credentials, callCredentials, [...features].sort()]);
}
