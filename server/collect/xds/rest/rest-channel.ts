import type { Problem } from '@/lib/observation/observation';
import { formatResourceType } from '@/lib/xds/resource-type';
import { findRestPath } from '@/lib/xds/rest-path';
import { UnservedTypes } from '../stream/unserved-types';
import type {
  SentRequest,
  Subscription,
  ValidatedResponse,
  XdsChannel,
  XdsChannelHandler,
} from '../stream/xds-channel';
import { RestConnections, type RestConnectionsOptions } from './rest-connection';
import { RestPoller, type RestPollerOptions } from './rest-poller';

/**
 * The longest time to the answer of a poll. Envoy's request_timeout is 1 s by default, but servers that hold polls until
 * something changes need a longer one, commonly less than half a minute. A probe has no such setting and meets both kinds.
 */
const defaultRequestTimeoutMs = 30_000;

export type RestChannelOptions = Omit<RestPollerOptions, 'requestTimeoutMs'> & {
  readonly requestTimeoutMs?: number;
  readonly onCredentialProblems?: RestConnectionsOptions['onCredentialProblems'];
};

/** Polls one management server for each type separately (xDS REST-JSON, which has neither ADS nor delta). */
export class RestChannel implements XdsChannel {
  readonly #handler: XdsChannelHandler;
  readonly #connections: RestConnections;
  readonly #options: RestPollerOptions;
  readonly #pollers = new Map<string, RestPoller>();
  readonly #unserved: UnservedTypes;
  #isStarted = false;

  constructor(options: RestChannelOptions, handler: XdsChannelHandler) {
    this.#handler = handler;
    this.#options = { requestTimeoutMs: defaultRequestTimeoutMs, ...options };
    this.#connections = new RestConnections(options);
    this.#unserved = new UnservedTypes(explainUnserved, options.nextStreamId, handler);
  }

  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#unserved.start();
    for (const poller of this.#pollers.values()) poller.start();
  }

  async stop(): Promise<void> {
    this.#isStarted = false;
    this.#unserved.stop();
    await Promise.all([...this.#pollers.values()].map((poller) => poller.stop()));
    this.#connections.close();
  }

  subscribe(typeUrl: string, subscription: Subscription): void {
    const poller = this.#pollerOf(typeUrl);
    if (poller === undefined) this.#unserved.subscribe(typeUrl, subscription);
    else poller.subscribe(subscription);
  }

  answer(response: ValidatedResponse): readonly SentRequest[] {
    const answered = this.#pollers.get(response.typeUrl)?.answer(response);
    return answered === undefined ? [] : [answered];
  }

  /** Returns undefined for a type without a REST path. VHDS is delta only. */
  #pollerOf(typeUrl: string): RestPoller | undefined {
    const known = this.#pollers.get(typeUrl);
    if (known !== undefined) return known;
    const path = findRestPath(typeUrl, this.#options.apiVersion);
    if (path === undefined) return undefined;
    const poller = new RestPoller(typeUrl, path, this.#connections, this.#options, this.#handler);
    this.#pollers.set(typeUrl, poller);
    if (this.#isStarted) poller.start();
    return poller;
  }
}

function explainUnserved(typeUrl: string): Problem {
  const message = `${formatResourceType(typeUrl)}: expected a type that can be polled, got one that REST does not have`;
  return { code: 'NOT_SERVED', message, hint: '' };
}
