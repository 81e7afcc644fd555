import { messageOf } from '@/lib/format/message-of';
import type { Clock } from '../../../observe';
import type { ServerConfig } from '../../../transport/bootstrap/server-config';
import { hintOf } from '../../../transport/grpc/explain-error';
import {
  explainOutcome,
  explainUnreadable,
  type FailedHttp,
  type HttpFailure,
} from '../../../transport/http-client/explain-http';
import { type HttpAnswer, type RunningCall, startHttpCall } from '../../../transport/http-client/http-call';
import { toEnvelope } from '../response/decode-response';
import type { ResourceCodec } from '../response/resource-codec';
import type { ResponseEnvelope } from '../response/response-envelope';
import { encodeJsonRequest } from '../stream/encode-request';
import { StreamBackoff } from '../stream/stream-backoff';
import {
  isSameSubscription,
  isWanted,
  type SentRequest,
  type Subscription,
  type ValidatedResponse,
  type XdsChannelHandler,
} from '../stream/xds-channel';
import type { XdsNode } from '../stream/xds-node';
import { CredentialsError, type RestConnections } from './rest-connection';
import {
  initialRestPollState,
  onAnswered,
  onFailed,
  onValidated,
  type RestPollState,
  requestAll,
  requestOf,
  subscribe,
} from './rest-poll-state';

export interface RestPollerOptions {
  readonly server: ServerConfig;
  readonly apiVersion: 'v3' | 'v2';
  readonly node: XdsNode;
  readonly codec: ResourceCodec;
  readonly clock: Clock;
  readonly random: () => number;
  readonly nextStreamId: () => string;
  readonly connectTimeoutMs: number;
  /** Envoy's default is 1 s. A server that holds polls until something changes needs a longer time. */
  readonly requestTimeoutMs: number;
  /** ApiConfigSource.refresh_delay. As in Envoy, a random time of up to the same length is added. */
  readonly refreshDelayMs: number;
  readonly maxMessageBytes: number;
}

/** Consecutive answered polls, which are one stream in observations. */
interface PollStream {
  readonly id: string;
  /** The names of the last reported poll, as JSON. */
  reportedNames: string;
}

/**
 * Polls one type while a resource of it is wanted, one poll at a time. An answer that equals the one before is ignored
 * like a 304, because otherwise servers without 304 would fill the history.
 */
export class RestPoller {
  readonly #path: string;
  readonly #connections: RestConnections;
  readonly #options: RestPollerOptions;
  readonly #handler: XdsChannelHandler;
  #state: RestPollState;
  readonly #backoff: StreamBackoff;
  #isStarted = false;
  /** Null until a poll is answered, and after a poll has failed. */
  #stream: PollStream | null = null;
  #running: RunningCall | null = null;
  #timer: { cancel(): void } | null = null;
  /** States whether the timer is a back-off, which a changed subscription does not shorten. */
  #isBackingOff = false;
  /** The hash of the last answer, empty if the same answer must be read again. */
  #lastHash = '';
  /** Incremented to abort the current poll. */
  #epoch = 0;
  #turn: Promise<void> = Promise.resolve();

  constructor(
    typeUrl: string,
    path: string,
    connections: RestConnections,
    options: RestPollerOptions,
    handler: XdsChannelHandler,
  ) {
    this.#path = path;
    this.#connections = connections;
    this.#options = options;
    this.#handler = handler;
    this.#state = initialRestPollState(typeUrl);
    this.#backoff = new StreamBackoff(options.random);
  }

  start(): void {
    this.#isStarted = true;
    if (isWanted(this.#state.subscription)) this.#poll();
  }

  /** Resolves when the current poll has ended. */
  async stop(): Promise<void> {
    this.#isStarted = false;
    this.#halt('the probe was stopped');
    this.#backoff.reset();
    await this.#turn;
  }

  subscribe(subscription: Subscription): void {
    if (isSameSubscription(this.#state.subscription, subscription)) return;
    this.#state = subscribe(this.#state, subscription);
    this.#lastHash = '';
    if (!this.#isStarted) return;
    if (!isWanted(subscription)) this.#halt('the type is not subscribed any more');
    else if (!this.#isBackingOff) this.#poll();
  }

  /** Returns the next poll, which carries the answer, or undefined if the stream has ended. */
  answer(response: ValidatedResponse): SentRequest | undefined {
    this.#state = onValidated(this.#state, response);
    if (this.#stream === null) return undefined;
    const request = requestOf(this.#state);
    if (request === undefined) return undefined;
    return response.verdict.kind === 'accepted' ? { ...request, reason: 'ack' } : request;
  }

  /** Polls at the end of this turn of the event loop, because subscriptions change in bursts. */
  #poll(): void {
    this.#pause();
    const epoch = this.#epoch;
    this.#turn = this.#turn.then(() => this.#pollOnce(epoch));
  }

  /** Aborts the current poll and the timer. */
  #pause(): void {
    this.#epoch += 1;
    this.#running?.abort();
    this.#running = null;
    this.#timer?.cancel();
    this.#timer = null;
    this.#isBackingOff = false;
  }

  #halt(why: string): void {
    this.#pause();
    const stream = this.#stream;
    this.#close();
    if (stream === null) return;
    this.#handler.onStreamClosed(stream.id, {
      code: 'CANCELLED',
      details: why,
      explain: async () => null,
      typeUrl: this.#state.typeUrl,
      wasOpened: true,
      hadResponse: true,
      isFailure: false,
      retryInMs: null,
    });
  }

  #close(): void {
    this.#stream = null;
    this.#lastHash = '';
    this.#state = onFailed(this.#state);
  }

  /** Never rejects. */
  async #pollOnce(epoch: number): Promise<void> {
    const request = requestOf(this.#state);
    if (epoch !== this.#epoch || request === undefined) return;
    const polled = this.#state.subscription;
    const names = JSON.stringify(request.resourceNames);
    if (this.#stream === null) this.#handler.onConnecting();
    else this.#emitNames(this.#stream, request, names);
    try {
      const answer = await this.#send(request, epoch);
      if (answer === undefined || epoch !== this.#epoch) return;
      if ('problem' in answer) {
        this.#fail(answer);
        return;
      }
      const failure = await this.#process(answer, request, polled, epoch);
      if (epoch !== this.#epoch) return;
      if (failure === 'again') this.#poll();
      else if (failure !== undefined) this.#fail(failure);
      else this.#next();
    } catch (error) {
      if (epoch === this.#epoch) this.#fail(explainFault(error, this.#options.server.target.text));
    }
  }

  /** Resolves to undefined if the poll was aborted. */
  async #send(request: SentRequest, epoch: number): Promise<HttpAnswer | HttpFailure | undefined> {
    const { server, node, apiVersion, connectTimeoutMs, requestTimeoutMs, maxMessageBytes, clock } =
      this.#options;
    const { target } = server;
    const { agent, headers } = await this.#connections.open();
    if (epoch !== this.#epoch) return undefined;
    this.#running = startHttpCall({
      method: 'POST',
      target,
      path: this.#path,
      isTls: this.#connections.isTls,
      agent,
      headers: {
        host: target.text,
        'content-type': 'application/json',
        accept: 'application/json',
        ...headers,
      },
      body: encodeJsonRequest(request, { node, apiVersion }),
      connectTimeoutMs,
      timeoutMs: requestTimeoutMs,
      maxBytes: maxMessageBytes,
      clock,
    });
    const outcome = await this.#running.outcome;
    if (outcome.kind === 'aborted') return undefined;
    this.#running = null;
    const isAnswer = outcome.kind === 'answer' && (outcome.status === 304 || isPlain200(outcome));
    return isAnswer ? outcome : explainOutcome(outcome, this.#failedPoll);
  }

  /** Resolves to the failure of an unreadable answer, to `again` if the poll must be repeated at once. */
  async #process(
    answer: HttpAnswer,
    request: SentRequest,
    polled: Subscription,
    epoch: number,
  ): Promise<HttpFailure | 'again' | undefined> {
    if (answer.status === 304 && this.#stream === null && request.versionInfo !== '') {
      this.#state = requestAll(this.#state);
      return 'again';
    }
    if (answer.status === 304 || answer.hash === this.#lastHash) {
      this.#open(request);
      return undefined;
    }
    const { codec, apiVersion } = this.#options;
    const poll = this.#failedPoll;
    const document = await codec.readDocument(answer.body, 'json');
    if (epoch !== this.#epoch) return undefined;
    if (document.kind === 'unreadable') return explainUnreadable(document.reason, answer, poll);
    const as = { isDelta: false, typeUrl: this.#state.typeUrl, apiVersion };
    const result = toEnvelope(document, as, answer.body.length);
    if (result.kind === 'unreadable') return explainUnreadable(result.reason, answer, poll);
    const { id } = this.#open(request);
    this.#state = onAnswered(this.#state, polled);
    await this.#handler.onResponse(id, result.envelope);
    if (epoch === this.#epoch && !hasTimeToLive(result.envelope)) this.#lastHash = answer.hash;
    return undefined;
  }

  /** Opens the stream of observations with the first answered poll. */
  #open(request: SentRequest): PollStream {
    this.#backoff.reset();
    if (this.#stream !== null) return this.#stream;
    const { server, nextStreamId } = this.#options;
    const stream: PollStream = { id: nextStreamId(), reportedNames: '' };
    this.#stream = stream;
    const scheme = this.#connections.isTls ? 'https' : 'http';
    const method = `POST ${scheme}://${server.target.text}${this.#path}`;
    this.#handler.onStreamOpened({ streamId: stream.id, method, typeUrl: this.#state.typeUrl });
    this.#emitNames(stream, request, JSON.stringify(request.resourceNames));
    return stream;
  }

  /** Reports the names only if they have changed. */
  #emitNames(stream: PollStream, request: SentRequest, names: string): void {
    if (stream.reportedNames === names) return;
    stream.reportedNames = names;
    this.#handler.onSubscriptionSent(stream.id, { ...request, reason: 'subscription' });
  }

  #fail({ code, problem }: HttpFailure): void {
    const { clock, nextStreamId } = this.#options;
    const stream = this.#stream;
    this.#close();
    // gRFC A57's back-off, as for streams. A failed poll is a failure even after answered ones.
    const retryInMs = this.#backoff.nextDelayMs({ isFailure: true, livedMs: 0 });
    this.#timer = clock.setTimeout(() => this.#poll(), retryInMs);
    this.#isBackingOff = true;
    this.#handler.onStreamClosed(stream?.id ?? nextStreamId(), {
      code,
      details: problem.message,
      explain: async () => problem,
      typeUrl: this.#state.typeUrl,
      wasOpened: stream !== null,
      hadResponse: stream !== null,
      isFailure: true,
      retryInMs,
    });
  }

  get #failedPoll(): FailedHttp {
    return {
      target: this.#options.server.target,
      request: `POST ${this.#path}`,
      expected: 'a DiscoveryResponse in JSON',
      hint: 'Is this the port of an xDS management server with REST?',
      hintOf,
      tls: this.#connections.tls,
    };
  }

  /** As in Envoy's RestApiFetcher, a random time of up to refresh_delay is added. */
  #next(): void {
    const { clock, random, refreshDelayMs } = this.#options;
    this.#timer = clock.setTimeout(() => this.#poll(), refreshDelayMs * (1 + random()));
  }
}

function isPlain200({ status, contentEncoding }: HttpAnswer): boolean {
  return status === 200 && (contentEncoding === '' || contentEncoding === 'identity');
}

/** Returns whether the same answer would renew a time to live. */
function hasTimeToLive({ resources }: ResponseEnvelope): boolean {
  return [...resources].some(({ type_url }) => type_url?.endsWith('.Resource') === true);
}

function explainFault(error: unknown, where: string): HttpFailure {
  const reason = messageOf(error);
  if (error instanceof CredentialsError) {
    return {
      code: 'UNAUTHENTICATED',
      problem: { code: 'CREDENTIALS', message: `${where}: ${reason}`, hint: '' },
    };
  }
  const message = `xdscope could not read a response: ${reason}`;
  return { code: 'INTERNAL', problem: { code: 'INTERNAL', message, hint: '' } };
}
