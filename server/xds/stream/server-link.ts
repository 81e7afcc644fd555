import type { ErrorModel } from '@/lib/xds/probe-choices';
import type { Clock } from '../../observe';
import type { ResponseEnvelope } from '../response/response-envelope';
import type { ResponseOrder } from '../response/response-order';
import { type ErrorPolicy, errorPolicyOf } from './error-policy';
import { HeldAnswers } from './held-answers';
import type { ServerConfig } from './server-config';
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

/** Makes the channel to a server; start() follows. */
export type CreateChannel = (server: ServerConfig, handler: XdsChannelHandler) => XdsChannel;

/** Upward: the events of a channel, with the link to its server. */
export interface ServerLinkHandler {
  onConnecting(link: ServerLink): void;
  onStreamOpened(link: ServerLink, stream: OpenedStream): void;
  onSubscriptionSent(link: ServerLink, streamId: string, request: SentRequest): void;
  /** What a response of that type from there may repeat. */
  recall(link: ServerLink, typeUrl: string): ResponseOrder | undefined;
  onResponse(link: ServerLink, streamId: string, response: ResponseEnvelope): Promise<void>;
  onStreamClosed(link: ServerLink, streamId: string, end: ChannelStreamEnd): void;
  heldVersions(link: ServerLink, typeUrl: string): ReadonlyMap<string, string>;
}

export interface ServerLinkOptions {
  readonly createChannel: CreateChannel;
  readonly clock: Clock;
  readonly errorModel: ErrorModel;
}

/** One management server, with what we know of how it is doing. Authorities with the same server share it. */
export class ServerLink implements XdsChannelHandler {
  readonly policy: ErrorPolicy;
  /** Answers that wait for their time. Reset with the stream. */
  readonly held: HeldAnswers;
  /** Why it cannot be reached; null when it can, or when that is not known yet. */
  failure: ChannelStreamEnd | null = null;
  /** The newest stream that is open, or was. */
  lastStreamId = '';
  readonly #channel: XdsChannel;
  readonly #open = new Map<string, OpenedStream>();
  /** Open streams that had a response. */
  readonly #healthy = new Set<string>();
  /** Types that the channel was ever reported. */
  readonly #asked = new Set<string>();
  #aborter = new AbortController();

  constructor(
    readonly key: string,
    readonly server: ServerConfig,
    { createChannel, clock, errorModel }: ServerLinkOptions,
    private readonly handler: ServerLinkHandler,
  ) {
    this.policy = errorPolicyOf(errorModel, server);
    this.held = new HeldAnswers(clock);
    this.#channel = createChannel(server, this);
  }

  get name(): string {
    return this.server.target.text;
  }

  get isFailing(): boolean {
    return this.failure !== null;
  }

  /** Is there a stream on which this type is asked for? */
  isOpenFor(typeUrl: string): boolean {
    return [...this.#open.values()].some((stream) => stream.typeUrl === null || stream.typeUrl === typeUrl);
  }

  /** Aborted when nobody waits for what is being read. */
  get signal(): AbortSignal {
    return this.#aborter.signal;
  }

  start(): void {
    this.#aborter = new AbortController();
    this.#channel.start();
  }

  async stop(): Promise<void> {
    this.#aborter.abort();
    this.held.dropAll();
    await this.#channel.stop();
    this.failure = null;
  }

  subscribe(typeUrl: string, subscription: Subscription): void {
    if (!isWanted(subscription) && !this.#asked.has(typeUrl)) return;
    this.#asked.add(typeUrl);
    this.#channel.subscribe(typeUrl, subscription);
  }

  answer(validated: ValidatedResponse): readonly SentRequest[] {
    return this.#channel.answer(validated);
  }

  onConnecting(): void {
    this.handler.onConnecting(this);
  }

  onStreamOpened(stream: OpenedStream): void {
    this.#open.set(stream.streamId, stream);
    this.lastStreamId = stream.streamId;
    this.handler.onStreamOpened(this, stream);
  }

  onSubscriptionSent(streamId: string, request: SentRequest): void {
    this.handler.onSubscriptionSent(this, streamId, request);
  }

  recall(typeUrl: string): ResponseOrder | undefined {
    return this.handler.recall(this, typeUrl);
  }

  onResponse(streamId: string, response: ResponseEnvelope): Promise<void> {
    this.#healthy.add(streamId);
    this.failure = null;
    return this.handler.onResponse(this, streamId, response);
  }

  /**
   * A stream that fails says nothing of the server while another one is answered: it may lack that type alone. Nor does
   * one that never was, for a type that the transport does not have: it is not tried again.
   */
  onStreamClosed(streamId: string, end: ChannelStreamEnd): void {
    this.#open.delete(streamId);
    this.#healthy.delete(streamId);
    const isTried = end.retryInMs !== null;
    if (end.isFailure && isTried && this.#healthy.size === 0) this.failure = end;
    if (end.typeUrl === null) this.held.dropAll();
    else this.held.drop(end.typeUrl);
    this.handler.onStreamClosed(this, streamId, end);
  }

  heldVersions(typeUrl: string): ReadonlyMap<string, string> {
    return this.handler.heldVersions(this, typeUrl);
  }
}

/** Equal for servers that are one and the same to a client. */
export function serverKeyOf({ target, credentials, callCredentials, features }: ServerConfig): string {
  return JSON.stringify([target.text, credentials, callCredentials, [...features].sort()]);
}
