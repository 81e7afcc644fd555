import { findRestPath } from '@/lib/xds/rest-path';
import { notServed } from '../client/not-served';
import {
  isWanted,
  type SentRequest,
  type Subscription,
  type ValidatedResponse,
  type XdsChannel,
  type XdsChannelHandler,
} from '../stream/xds-channel';
import { RestConnections, type RestConnectionsOptions } from './rest-connection';
import { RestPoller, type RestPollerOptions } from './rest-poller';

/**
 * How long a poll may stay without an answer. Envoy gives up after 1 s unless
 * request_timeout is set, which servers that hold polls until there is news require. A probe has no such setting and meets
 * both kinds; servers that hold polls commonly do so for less than half a minute, and the connection shows when a server is
 * gone.
 */
export const defaultRequestTimeoutMs = 30_000;

export type RestChannelOptions = Omit<RestPollerOptions, 'requestTimeoutMs'> & {
  readonly requestTimeoutMs?: number;
  readonly onCredentialProblems?: RestConnectionsOptions['onCredentialProblems'];
};

/** One management server that is polled, each type by itself (xDS REST-JSON). There is neither ADS nor delta. */
export class RestChannel implements XdsChannel {
  readonly #connections: RestConnections;
  readonly #options: RestPollerOptions;
  readonly #pollers = new Map<string, RestPoller>();
  readonly #notServed = new Set<string>();
  #isStarted = false;

  constructor(
    options: RestChannelOptions,
    private readonly handler: XdsChannelHandler,
  ) {
    this.#options = { requestTimeoutMs: defaultRequestTimeoutMs, ...options };
    this.#connections = new RestConnections(options);
  }

  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    for (const poller of this.#pollers.values()) poller.start();
  }

  async stop(): Promise<void> {
    this.#isStarted = false;
    await Promise.all([...this.#pollers.values()].map((poller) => poller.stop()));
    this.#connections.close();
  }

  subscribe(typeUrl: string, subscription: Subscription): void {
    const poller = this.#pollerOf(typeUrl);
    if (poller !== undefined) poller.subscribe(subscription);
    else if (isWanted(subscription)) this.#emitNotServed(typeUrl);
  }

  /** Once. */
  #emitNotServed(typeUrl: string): void {
    if (this.#notServed.has(typeUrl)) return;
    this.#notServed.add(typeUrl);
    const end = notServed(typeUrl, 'expected a type that can be polled, got one that REST does not have');
    this.handler.onStreamClosed(this.#options.nextStreamId(), end);
  }

  answer(response: ValidatedResponse): readonly SentRequest[] {
    const answered = this.#pollers.get(response.typeUrl)?.answer(response);
    return answered === undefined ? [] : [answered];
  }

  /** undefined for a type that REST does not have: VHDS is delta only. */
  #pollerOf(typeUrl: string): RestPoller | undefined {
    const known = this.#pollers.get(typeUrl);
    if (known !== undefined) return known;
    const path = findRestPath(typeUrl, this.#options.apiVersion);
    if (path === undefined) return undefined;
    const poller = new RestPoller(typeUrl, path, this.#connections, this.#options, this.handler);
    this.#pollers.set(typeUrl, poller);
    if (this.#isStarted) poller.start();
    return poller;
  }
}
