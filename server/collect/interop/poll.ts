import type { Observation, Problem } from '@/lib/observation/observation';
import type { RpcBlock, RpcConfiguration } from '@/lib/observation/test-client';
import { redactJson } from '../../codec/redact-json';
import type { RedactionMarker } from '../../codec/redaction-marker';
import { redactObservation } from '../../codec/secrets/redact-observation';
import type { Target } from '../../transport/targets/target';
import type { CollectedKind, CollectedParts } from '../collector/serve-collector';
import { ClientsOfProcess, csdsPaths } from '../poll-diff/clients-of-process';
import {
  GrpcPoller,
  type GrpcPollerKind,
  type GrpcPollerOptions,
  type GrpcPollerSetup,
} from '../poll-diff/grpc-poller';
import type { IsCurrent } from '../poll-diff/poller';
import { CountChanges } from './count-changes';
import {
  accumulatedStats,
  clientStats,
  configure,
  type DecodedCounts,
  decodeAccumulatedStats,
  decodeStats,
  encodeAccumulatedStatsRequest,
  encodeConfiguration,
  encodeStatsRequest,
} from './interop-messages';
import { requestServing } from './request-serving';

export interface InteropPollerOptions extends GrpcPollerOptions {
  readonly marker: RedactionMarker;
}

/** A number of RPCs, and the time after which the client answers with those that ended. */
interface BlockRequest {
  readonly rpcs: number;
  readonly timeoutMs: number;
}

/** What the client of a source, or a server that it calls, is requested to do. */
export type InteropRequest =
  | ({ readonly kind: 'count-block' } & BlockRequest)
  | { readonly kind: 'configure'; readonly configuration: RpcConfiguration }
  | { readonly kind: 'set-serving'; readonly target: Target; readonly isServing: boolean };

type Reported = Extract<
  Observation,
  { kind: 'rpcs-counted' | 'rpc-block-counted' | 'test-client-configured' | 'test-server-set' }
>;
type Content<T> = T extends Reported
  ? Omit<T, 'at' | 'vantage' | 'sourceId' | 'clientId' | 'node' | 'scope'>
  : never;

/** The options of a poller that cross the threads. */
export type InteropSetup = GrpcPollerSetup;

export function collectInterop({
  marker,
  polling,
}: CollectedParts): CollectedKind<InteropSetup, InteropRequest> {
  return {
    open: (sourceId, setup, handler) =>
      new InteropPoller({ sourceId, marker, ...polling, ...handler, ...setup }),
  };
}

const kind: GrpcPollerKind = {
  vantage: 'interop',
  service: 'LoadBalancerStatsService',
  hint: 'Is this the port at which a client of the gRPC xDS interop tests serves its statistics?',
  ...csdsPaths,
  ...{ intervalMs: 1_000, deadlineMs: 10_000, maxBackoffMs: 30_000 },
};

/** The clients of the process are requested again after this number of polls. */
const pollsPerIdentity = 30;
/** The time that an answer may take beyond the timeout of a block. */
const spareMs = 5_000;

/**
 * Polls a client of the gRPC xDS interop tests: its RPCs by method and status. The service names no xDS client, so that
 * the clients of the process are those of its CSDS, which is served on the same port.
 */
export class InteropPoller extends GrpcPoller {
  readonly #options: InteropPollerOptions;
  readonly #process: ClientsOfProcess;
  readonly #changes = new CountChanges();
  /** The newest counts, which a client that appears later gets as well. */
  #newest: DecodedCounts = { methods: [], leftOut: 0 };
  readonly #reported = new Set<string>();
  #pollsSinceIdentity = Number.POSITIVE_INFINITY;

  constructor(options: InteropPollerOptions) {
    super(options, kind);
    this.#options = options;
    this.#process = new ClientsOfProcess({ ...options, request: (message) => this.request(message) });
  }

  /** The ids of the xDS clients of the process. */
  get clientIds(): readonly string[] {
    return [...this.#process.clients.keys()];
  }

  /** Sends and records a request. Resolves with a sentence about what failed, or undefined. */
  async handle(request: InteropRequest): Promise<string | undefined> {
    try {
      if (request.kind === 'count-block') await this.countBlock(request);
      else if (request.kind === 'configure') await this.configure(request.configuration);
      else return (await this.setServing(request.target, request.isServing))?.message;
      return undefined;
    } catch (error) {
      return (await this.explain(error)).message;
    }
  }

  /** Requests the statistics of RPCs that start from now on. Rejects with an error for describe(). */
  async countBlock({ rpcs: requested, timeoutMs }: BlockRequest): Promise<RpcBlock> {
    const { clock } = this.#options;
    const request = encodeStatsRequest({ rpcs: requested, timeoutMs });
    const askedAt = clock.now();
    const answer = await this.calls.requestUnary(clientStats, request, timeoutMs + spareMs);
    const counted = decodeStats(answer.take());
    const block = { requested, timeoutMs, tookMs: clock.now() - askedAt, ...counted };
    this.#report({ kind: 'rpc-block-counted', ...structuredClone(block) });
    return block;
  }

  /** Configures the RPCs of the client, a running program. Rejects with an error for describe(). */
  async configure(configuration: RpcConfiguration): Promise<void> {
    const request = encodeConfiguration(configuration);
    (await this.calls.requestUnary(configure, request, this.deadlineMs)).release();
    const { types, metadata, timeoutMs } = configuration;
    this.#report({
      kind: 'test-client-configured',
      types: [...types],
      metadata: redactJson([...metadata], this.#options.marker),
      ...(timeoutMs !== undefined && { timeoutMs }),
    });
  }

  /** Sets a server that the client calls, a running program. Returns why the server did not accept it. */
  async setServing(target: Target, isServing: boolean): Promise<Problem | undefined> {
    const problem = await requestServing(target, isServing, this.#options);
    if (problem === undefined) this.#report({ kind: 'test-server-set', address: target.text, isServing });
    return problem;
  }

  protected override failed(): void {
    this.#pollsSinceIdentity = Number.POSITIVE_INFINITY;
  }

  protected override async poll(isCurrent: IsCurrent): Promise<number> {
    const { clock } = this.#options;
    const askedAt = clock.now();
    const counts = await this.#requestCounts();
    const isDue = this.#pollsSinceIdentity >= pollsPerIdentity || this.#process.clients.size === 0;
    if (isDue) {
      await this.#process.identify();
      this.#pollsSinceIdentity = 0;
    }
    if (!isCurrent()) return 0;
    this.#pollsSinceIdentity += 1;
    const isNews = this.#changes.isNews(counts.methods, clock.now());
    this.#newest = counts;
    const hasNews = this.#reportCounts(isNews);
    const latencyMs = clock.now() - askedAt;
    this.polled.succeed({ askedAt, clientIds: this.clientIds, hasNews, latencyMs, notes: this.#notes() });
    return this.waitAfter(askedAt);
  }

  async #requestCounts(): Promise<DecodedCounts> {
    const answer = await this.requestUnary(accumulatedStats, encodeAccumulatedStatsRequest());
    return decodeAccumulatedStats(answer.take());
  }

  /** Returns whether it reported anything. */
  #reportCounts(isNews: boolean): boolean {
    const current = new Set(this.clientIds);
    const gone = [...this.#reported].filter((clientId) => !current.has(clientId));
    for (const clientId of gone) {
      this.#reported.delete(clientId);
      const reason = 'the process reports no such xDS client any longer';
      this.#emit({ ...this.#base(), kind: 'client-gone', clientId, side: 'client', reason });
    }
    const isNew = (clientId: string): boolean => !this.#reported.has(clientId);
    const about = isNews ? this.clientIds : this.clientIds.filter(isNew);
    const methods = this.#newest.methods.map((each) => ({ ...each, ended: [...each.ended] }));
    this.#report({ kind: 'rpcs-counted', methods }, about);
    return gone.length + about.length > 0;
  }

  #report(content: Content<Reported>, about: readonly string[] = this.clientIds): void {
    for (const clientId of about) {
      const client = this.#process.clients.get(clientId);
      if (client === undefined) continue;
      const { node, scope } = client;
      const redacted = redactObservation(content, this.#options.marker);
      this.#reported.add(clientId);
      this.#emit({ ...this.#base(), clientId, node, scope, ...redacted } as Reported);
    }
  }

  #base() {
    const { clock, sourceId } = this.#options;
    return { at: clock.now(), vantage: 'interop', sourceId } as const;
  }

  #emit(observation: Observation): void {
    this.#options.observe({ observation, bodies: [] });
  }

  #notes(): string[] {
    const lack = this.#process.findLack('makes these RPCs');
    const { size } = this.#process.clients;
    const { leftOut } = this.#newest;
    return [
      ...(lack === undefined ? [] : [lack]),
      ...(size > 1 ? [`The process has ${size} xDS clients: its counts are those of all of them.`] : []),
      ...(leftOut > 0 ? [`The client counts RPCs of too many methods: ${leftOut} are not read.`] : []),
    ];
  }
}
