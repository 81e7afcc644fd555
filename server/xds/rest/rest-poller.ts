import {
  explainOutcome,
  explainUnreadable,
  type FailedHttp,
  type HttpFailure,
} from '../../http-client/explain-http';
import { type HttpAnswer, type RunningCall, startHttpCall } from '../../http-client/http-call';
import type { Clock } from '../../observe';
import { toEnvelope } from '../response/decode-response';
import type { ResourceCodec } from '../response/resource-codec';
import type { ResponseEnvelope } from '../response/response-envelope';
import { encodeJsonRequest } from '../stream/encode-request';
import type { ServerConfig } from '../stream/server-config';
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
  askAnew,
  initialRestPollState,
  onAnswered,
  onFailed,
  onValidated,
  type RestPollState,
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
  /** Envoy's is 1 s by default; a server that holds polls until there is news needs longer. */
  readonly requestTimeoutMs: number;
  /** ApiConfigSource.refresh_delay. As in Envoy, up to as much again is added by chance. */
  readonly refreshDelayMs: number;
  readonly maxMessageBytes: number;
}

/** What observations know as a stream: polls in a row that were answered. */
interface PollStream {
  readonly id: string;
  /** The names of the newest poll that was reported, as JSON. */
  reportedNames: string;
}

/**
 * The polls of one type, one at a time, while something of it is wanted. An answer that is byte by byte the one before
 * is no news, as a 304 is none: servers without 304 would fill the history.
 */
export class RestPoller {
  #state: RestPollState;
  readonly #backoff: StreamBackoff;
  #isStarted = false;
  /** null until a poll was answered, and after one that was not. */
  #stream: PollStream | null = null;
  #running: RunningCall | null = null;
  #timer: { cancel(): void } | null = null;
  /** The timer is a back-off: a changed subscription does not shorten it. */
  #isBackingOff = false;
  /** Of the newest answer; empty where the same answer would be news. */
  #lastHash = '';
  /** Moves with every reason to poll anew, so that the poll before it gives up. */
  #epoch = 0;
  #turn: Promise<void> = Promise.resolve();

  constructor(
    typeUrl: string,
    private readonly path: string,
    private readonly connections: RestConnections,
    private readonly options: RestPollerOptions,
    private readonly handler: XdsChannelHandler,
  ) {
    this.#state = initialRestPollState(typeUrl);
    this.#backoff = new StreamBackoff(options.random);
  }

  start(): void {
    this.#isStarted = true;
    if (isWanted(this.#state.subscription)) this.#poll();
  }

  /** Resolves when no poll is under way and none will be. */
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
    if (!isWanted(subscription)) this.#halt('nothing of this type is wanted any more');
    else if (!this.#isBackingOff) this.#poll();
  }

  /** What the next poll will say. undefined when the stream is gone. */
  answer(response: ValidatedResponse): SentRequest | undefined {
    this.#state = onValidated(this.#state, response);
    if (this.#stream === null) return undefined;
    const request = requestOf(this.#state);
    if (request === undefined) return undefined;
    return response.verdict.kind === 'accepted' ? { ...request, reason: 'ack' } : request;
  }

  /** At the end of this turn of the event loop: subscriptions change in bursts. */
  #poll(): void {
    this.#pause();
    const epoch = this.#epoch;
    this.#turn = this.#turn.then(() => this.#pollOnce(epoch));
  }

  /** Neither poll nor timer. */
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
    this.handler.onStreamClosed(stream.id, {
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
    const asked = this.#state.subscription;
    const names = JSON.stringify(request.resourceNames);
    if (this.#stream === null) this.handler.onConnecting();
    else this.#emitNames(this.#stream, request, names);
    try {
      const answer = await this.#send(request, epoch);
      if (answer === undefined || epoch !== this.#epoch) return;
      if ('problem' in answer) {
        this.#fail(answer);
        return;
      }
      const failure = await this.#take(answer, request, asked, epoch);
      if (epoch !== this.#epoch) return;
      if (failure === 'again') this.#poll();
      else if (failure !== undefined) this.#fail(failure);
      else this.#next();
    } catch (error) {
      if (epoch === this.#epoch) this.#fail(ourFault(error, this.options.server.target.text));
    }
  }

  /** undefined when it was given up. */
  async #send(request: SentRequest, epoch: number): Promise<HttpAnswer | HttpFailure | undefined> {
    const { server, node, apiVersion, connectTimeoutMs, requestTimeoutMs, maxMessageBytes, clock } =
      this.options;
    const { target } = server;
    const { agent, headers } = await this.connections.open();
    if (epoch !== this.#epoch) return undefined;
    this.#running = startHttpCall({
      method: 'POST',
      target,
      path: this.path,
      isTls: this.connections.isTls,
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

  /** What was wrong with it; undefined when it was taken, good or bad; `again`: to be asked anew at once. */
  async #take(
    answer: HttpAnswer,
    request: SentRequest,
    asked: Subscription,
    epoch: number,
  ): Promise<HttpFailure | 'again' | undefined> {
    if (answer.status === 304 && this.#stream === null && request.versionInfo !== '') {
      this.#state = askAnew(this.#state);
      return 'again';
    }
    if (answer.status === 304 || answer.hash === this.#lastHash) {
      this.#open(request);
      return undefined;
    }
    const { codec, apiVersion } = this.options;
    const poll = this.#failedPoll;
    const document = await codec.readDocument(answer.body, 'json');
    if (epoch !== this.#epoch) return undefined;
    if (document.kind === 'unreadable') return explainUnreadable(document.reason, answer, poll);
    const as = { isDelta: false, typeUrl: this.#state.typeUrl, apiVersion };
    const result = toEnvelope(document, as, answer.body.length);
    if (result.kind === 'unreadable') return explainUnreadable(result.reason, answer, poll);
    const { id } = this.#open(request);
    this.#state = onAnswered(this.#state, asked);
    await this.handler.onResponse(id, result.envelope);
    if (epoch === this.#epoch && !hasTimeToLive(result.envelope)) this.#lastHash = answer.hash;
    return undefined;
  }

  /** The stream of observations opens with the first poll that is answered. */
  #open(request: SentRequest): PollStream {
    this.#backoff.reset();
    if (this.#stream !== null) return this.#stream;
    const { server, nextStreamId } = this.options;
    const stream: PollStream = { id: nextStreamId(), reportedNames: '' };
    this.#stream = stream;
    const scheme = this.connections.isTls ? 'https' : 'http';
    const method = `POST ${scheme}://${server.target.text}${this.path}`;
    this.handler.onStreamOpened({ streamId: stream.id, method, typeUrl: this.#state.typeUrl });
    this.#emitNames(stream, request, JSON.stringify(request.resourceNames));
    return stream;
  }

  /** Only where they are others: a poll that asks again is no news. */
  #emitNames(stream: PollStream, request: SentRequest, names: string): void {
    if (stream.reportedNames === names) return;
    stream.reportedNames = names;
    this.handler.onSubscriptionSent(stream.id, { ...request, reason: 'subscription' });
  }

  #fail({ code, problem }: HttpFailure): void {
    const { clock, nextStreamId } = this.options;
    const stream = this.#stream;
    this.#close();
    // As for streams: gRFC A57's back-off. A poll without an answer is a failure even after others that had one.
    const retryInMs = this.#backoff.nextDelayMs({ isFailure: true, livedMs: 0 });
    this.#timer = clock.setTimeout(() => this.#poll(), retryInMs);
    this.#isBackingOff = true;
    this.handler.onStreamClosed(stream?.id ?? nextStreamId(), {
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
      target: this.options.server.target,
      request: `POST ${this.path}`,
      expected: 'a DiscoveryResponse in JSON',
      hint: 'Is this the port of an xDS management server with REST?',
      tls: this.connections.tls,
    };
  }

  /** Envoy's RestApiFetcher adds to refresh_delay a time of up to refresh_delay, evenly spread. */
  #next(): void {
    const { clock, random, refreshDelayMs } = this.options;
    this.#timer = clock.setTimeout(() => this.#poll(), refreshDelayMs * (1 + random()));
  }
}

function isPlain200({ status, contentEncoding }: HttpAnswer): boolean {
  return status === 200 && (contentEncoding === '' || contentEncoding === 'identity');
}

/** A resource that lives for a time is renewed by the same answer. */
function hasTimeToLive({ resources }: ResponseEnvelope): boolean {
  return [...resources].some(({ type_url }) => type_url?.endsWith('.Resource') === true);
}

function ourFault(error: unknown, where: string): HttpFailure {
  const reason = error instanceof Error ? error.message : String(error);
  if (error instanceof CredentialsError) {
    return {
      code: 'UNAUTHENTICATED',
      problem: { code: 'CREDENTIALS', message: `${where}: ${reason}`, hint: '' },
    };
  }
  const message = `xdscope could not read a response: ${reason}`;
  return { code: 'INTERNAL', problem: { code: 'INTERNAL', message, hint: '' } };
}
