import { randomUUID } from 'node:crypto';
import type { NodeInfo, Problem } from '@/lib/observation/observation';
import { clientIdOf } from '../client-id';
import type { Clock, Observe } from '../observe';
import { initialSourceStatus, type RunningSource, type SourceStatus } from '../source-status';
import { grpcTransport } from './grpc-transport';
import { type Tell, toObservations } from './probe-observations';
import type { ProbeInterest, ProbeSettings } from './probe-settings';
import type { ResourceCodec } from './resource-codec';
import type { ServerConfig } from './server-config';
import type { Transport } from './transport';
import type { ChannelStreamEnd, OpenedStream } from './xds-channel';
import { type ClientSubscription, XdsClient } from './xds-client';
import { clientFeatures, type XdsNode } from './xds-node';

export interface ProbeOptions {
  readonly sourceId: string;
  readonly settings: ProbeSettings;
  readonly node: XdsNode;
  readonly observe: Observe;
  readonly clock: Clock;
  readonly codec: ResourceCodec;
  /** After each change of `status`. */
  readonly onStatus: (status: SourceStatus) => void;
  /** Tests bring their own. */
  readonly dial?: () => Transport;
  readonly random?: () => number;
}

/** A probe is one XdsClient with a node id of its own; control planes know it by that alone. */
const scope = '';

/** A connection that is not there by then is explained and tried again. */
const connectTimeoutMs = 10_000;

/** Our own XdsClient as a source: what it does and gets becomes observations, how it is doing a status. */
export class Probe implements RunningSource {
  readonly clientId: string;
  readonly #client: XdsClient;
  readonly #node: NodeInfo;
  #status: SourceStatus = initialSourceStatus;
  /** What is wrong with the files of our credentials, in words. */
  #credentialProblems: readonly string[] = [];
  /** Starts and stops, one after the other. */
  #turn: Promise<void> = Promise.resolve();
  /** Nothing is cached yet: what an earlier process of ours held is not true any more. */
  #isFirstStream = true;
  /** Moves with each response and pause, so that the late explanation of an older failure is dropped. */
  #epoch = 0;
  #openedAt = 0;

  constructor(private readonly options: ProbeOptions) {
    const { settings, node, codec, clock, random = Math.random } = options;
    const subscription = subscriptionOf(settings.interest);
    this.clientId = clientIdOf(node.id, scope);
    this.#node = { ...node, metadata: codec.redactNode(node.metadata), clientFeatures };
    const onCredentialProblems = (problems: readonly string[]): void => {
      this.#credentialProblems = problems;
      this.#update({});
    };
    const dial =
      options.dial ??
      (() => grpcTransport({ server: this.#server, clock, connectTimeoutMs, onCredentialProblems }));
    const observations = toObservations(this.clientId, this.#tell);
    this.#client = new XdsClient(
      {
        transport: 'ads',
        apiVersion: 'v3',
        node,
        codec,
        clock,
        random,
        dial,
        subscription,
        connectTimeoutMs,
        nextStreamId: randomUUID,
      },
      {
        ...observations,
        onConnecting: () => this.#update({ lastAttemptAt: clock.now() }),
        onStreamOpened: (stream) => this.#onStreamOpened(stream),
        onResponse: (streamId, response, read) => {
          this.#onResponse(response.sizeBytes, read.received.length > 0);
          observations.onResponse(streamId, response, read);
        },
        onStreamClosed: (streamId, end) => {
          observations.onStreamClosed(streamId, end);
          this.#onStreamClosed(end);
        },
      },
    );
  }

  /** The most preferred one. */
  get #server(): ServerConfig {
    const [first] = this.options.settings.servers;
    if (first === undefined) throw new Error('a probe needs a management server');
    return first;
  }

  get status(): SourceStatus {
    if (this.#credentialProblems.length === 0) return this.#status;
    return { ...this.#status, notes: [...this.#status.notes, ...this.#credentialProblems] };
  }

  start(): void {
    this.#next(async () => {
      this.#update({ state: 'connecting', notes: [] });
      this.#client.start();
    });
  }

  pause(): void {
    this.#next(async () => {
      this.#epoch += 1;
      this.#update({ state: 'paused', problem: null, notes: [] });
      await this.#client.stop();
    });
  }

  resume(): void {
    this.start();
  }

  close(): Promise<void> {
    this.#next(() => this.#client.stop());
    return this.#turn;
  }

  #next(action: () => Promise<void>): void {
    this.#turn = this.#turn.then(action).catch((error: unknown) => {
      const message = error instanceof Error ? error.message : String(error);
      this.#onProblem({ code: 'INTERNAL', message, hint: '' });
    });
  }

  #onStreamOpened({ streamId, method }: OpenedStream): void {
    const { clock } = this.options;
    this.#openedAt = clock.now();
    this.#update({
      notes: ['connected, waiting for the first response'],
      clients: new Map([[this.clientId, this.#openedAt]]),
    });
    this.#tell({
      kind: 'stream-opened',
      clientId: this.clientId,
      streamId,
      server: this.#server.target.text,
      method: method.slice(method.lastIndexOf('/') + 1),
      node: this.#node,
      scope,
      ...(this.#isFirstStream ? { cacheEmpty: true } : {}),
    });
    this.#isFirstStream = false;
  }

  #onResponse(sizeBytes: number, hasNews: boolean): void {
    const now = this.options.clock.now();
    const { state, answers, latencyMs, lastChangedAt } = this.#status;
    this.#epoch += 1;
    this.#update({
      state: 'up',
      problem: null,
      notes: [],
      lastSuccessAt: now,
      lastChangedAt: hasNews ? now : lastChangedAt,
      answerBytes: sizeBytes,
      answers: answers + 1,
      latencyMs: state === 'up' ? latencyMs : Math.max(0, now - this.#openedAt),
      clients: new Map([[this.clientId, now]]),
    });
    if (state !== 'up') this.#tell({ kind: 'source-up' });
  }

  #onStreamClosed(end: ChannelStreamEnd): void {
    if (end.retryInMs === null) {
      this.#update({ clients: new Map() });
      return;
    }
    const { state, failures } = this.#status;
    const next = `next try in ${(end.retryInMs / 1000).toFixed(1)} s`;
    if (!end.isFailure) {
      // gRFC A57: normal, as when a server is rotated. If nobody comes back, the next stream will say so.
      const how = end.details === '' ? end.code : `${end.code}: ${end.details}`;
      this.#update({
        state: 'connecting',
        notes: [`the stream ended (${how}), ${next}`],
        clients: new Map(),
      });
      return;
    }
    this.#update({
      state: state === 'down' ? 'down' : 'connecting',
      notes: [next],
      failures: failures + 1,
      clients: new Map(),
    });
    const epoch = this.#epoch;
    end.explain().then((problem) => {
      if (epoch === this.#epoch) this.#onProblem(problem ?? endedEmpty);
    });
  }

  #onProblem(problem: Problem): void {
    const isNews = this.#status.state !== 'down' || this.#status.problem?.message !== problem.message;
    this.#update({ state: 'down', problem });
    if (isNews) this.#tell({ kind: 'source-down', problem });
  }

  readonly #tell: Tell = (told, bodies = []) => {
    const { clock, sourceId, observe } = this.options;
    observe({ observation: { ...told, at: clock.now(), vantage: 'probe', sourceId }, bodies });
  };

  #update(change: Partial<SourceStatus>): void {
    this.#status = { ...this.#status, ...change };
    this.options.onStatus(this.status);
  }
}

const endedEmpty: Problem = {
  code: 'NO_RESPONSE',
  message: 'expected a DiscoveryResponse, but the server ended the stream without one',
  hint: 'Does it serve this node id?',
};

function subscriptionOf({ wildcard, listeners }: ProbeInterest): ClientSubscription {
  return wildcard ? { kind: 'wildcard' } : { kind: 'named', listeners };
}
