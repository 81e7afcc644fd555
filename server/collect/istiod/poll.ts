import { status as grpcStatus } from '@grpc/grpc-js';
import { formatCounted } from '@/lib/format/count';
import type { ClientConfigChanged, Problem } from '@/lib/observation/observation';
import { findProxyName } from '@/lib/xds/istio-node';
import { EDS } from '@/lib/xds/resource-type';
import type { EpochMs } from '@/lib/xds/units';
import type { ReportedClient } from '../../codec/codec';
import { CodecError } from '../../codec/codec-error';
import type { RedactionMarker } from '../../codec/redaction-marker';
import type { Body } from '../../observe';
import { CallError } from '../../transport/grpc/grpc-requester';
import type { RawAnswer } from '../../transport/grpc/raw-answer';
import type { CollectedKind, CollectedParts } from '../collector/serve-collector';
import { compareAnswers, compareClient } from '../poll-diff/compare-answers';
import { type ConfigObservation, copyBodies } from '../poll-diff/copy-bodies';
import {
  GrpcPoller,
  type GrpcPollerKind,
  type GrpcPollerOptions,
  type GrpcPollerSetup,
} from '../poll-diff/grpc-poller';
import type { KnownClient, KnownClients } from '../poll-diff/known-clients';
import type { IsCurrent } from '../poll-diff/poller';
import { ConfigConnections, type ConnectionList } from './config-connections';
import { type DebugPage, type DebugRequest, encodeDebugRequest } from './debug-request';
import { IstiodSchedule } from './istiod-schedule';
import { ProcessReader } from './process-reader';
import type { Connections } from './read';
import { readCluster, readConfig, readConnectionIds, readConnections, readSyncStatus } from './read';

export interface IstiodPollerOptions extends GrpcPollerOptions {
  /** The node id in the requests. */
  readonly nodeId: string;
  /** The port of istiod's metrics; see ProcessReaderOptions. */
  readonly metricsPort?: number | undefined;
  readonly marker: RedactionMarker;
  /** The node ids of all probes of this process. They may be connected to this istiod. */
  readonly probedNodes: () => readonly string[];
}

/** The options of a poller that cross the threads. */
export type IstiodSetup = GrpcPollerSetup & Pick<IstiodPollerOptions, 'nodeId' | 'metricsPort'>;

export function collectIstiod({ marker, polling }: CollectedParts): CollectedKind<IstiodSetup> {
  let probedNodes: readonly string[] = [];
  return {
    open: (sourceId, setup, handler) => {
      const common = { sourceId, marker, probedNodes: () => probedNodes };
      return new IstiodPoller({ ...common, ...polling, ...handler, ...setup });
    },
    onProcess(facts) {
      probedNodes = facts.probedNodes;
    },
  };
}

const kind: GrpcPollerKind = {
  ...{ vantage: 'istiod', service: 'ADS', hint: 'Is this an istiod?' },
  streamPath: '/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources',
  fetchPath: null,
  ...{ intervalMs: 10_000, deadlineMs: 20_000, maxBackoffMs: 60_000 },
};

/** The time between two readings of metrics, in intervals of the status. */
const metricsIntervals = 6;

/**
 * Polls one istiod by its debug types: the sync status of all proxies repeatedly, and the config of each proxy, one at
 * a time, after something was sent to it. Emits the same observations as for the CSDS of a control plane.
 */
export class IstiodPoller extends GrpcPoller {
  readonly #options: IstiodPollerOptions;
  readonly #schedule: IstiodSchedule;
  readonly #process: ProcessReader;
  /** Whole-type rows, by client. */
  #known: KnownClients = new Map();
  /** Rows of the configs, by client, and when istiod had sent something of their types. */
  readonly #configs = new Map<string, KnownClient & { readonly sentAt: EpochMs | null }>();
  /** Clients whose first report was emitted without the config, which follows as its second part. */
  readonly #incomplete = new Set<string>();
  /** Clients whose newest config was not used, because it differs although nothing was sent. */
  readonly #unexplained = new Set<string>();
  readonly #connections = new ConfigConnections();
  #instance = '';
  #answerNotes: readonly string[] = [];
  #rejected = { nonces: '', configs: '', noncesUntil: Number.NEGATIVE_INFINITY };
  readonly #unread = new Map<string, number>();
  #answeredAt: number | undefined;
  /** Milliseconds from request to answer, for all requests of this poll. */
  #requestMs = 0;

  constructor(options: IstiodPollerOptions) {
    super(options, kind);
    this.#options = options;
    this.#schedule = new IstiodSchedule(this.intervalMs);
    const { target, intervalMs } = this;
    const { clock, metricsPort: port } = options;
    this.#process = new ProcessReader({ target, port, clock, intervalMs: intervalMs * metricsIntervals });
  }

  protected override disconnect(): void {
    super.disconnect();
    this.#process.close();
  }

  protected override begin(): void {
    this.#schedule.reset();
  }

  protected override failed(): void {
    this.#schedule.reset();
  }

  protected override async poll(isCurrent: IsCurrent): Promise<number> {
    const { clock } = this.#options;
    const next = this.#schedule.next(clock.now());
    if (next?.kind === 'status') await this.#pollStatus(isCurrent);
    else if (next?.kind === 'config') await this.#pollConfig(next.clientId, isCurrent);
    return this.#schedule.waitMs(clock.now());
  }

  async #pollStatus(isCurrent: IsCurrent): Promise<void> {
    const { clock, random, marker, sourceId, maxClients } = this.#options;
    const at = clock.now();
    this.#requestMs = 0;
    if (this.#process.isDue)
      void this.meter.measure(
        () => this.#process.read(),
        (sizeBytes) => sizeBytes,
      );
    const answer = await this.#requestDebug({ kind: 'status' });
    if (!isCurrent()) return;
    const latencyMs = this.#requestMs;
    const read = readSyncStatus(answer.take(), marker);
    const connections = await this.#requestConnections();
    const clients =
      connections === undefined
        ? read.clients
        : read.clients.map((client) => withNonces(client, connections));
    if (!isCurrent()) return;
    this.#schedule.statusRequested({ at, tookMs: this.#requestMs, spread: 0.9 + 0.2 * random() });
    const { observations, next, clientIds, notAdmitted, duplicates } = compareAnswers(this.#known, clients, {
      ...{ sourceId, vantage: 'istiod', at: clock.now(), side: 'control-plane', maxClients },
      ...(this.#answeredAt !== undefined && { previousAt: this.#answeredAt }),
    });
    this.#known = next;
    this.#answeredAt = at;
    this.#instance = read.instance;
    this.#answerNotes = [
      ...read.notes,
      ...duplicates.map(
        (name) => `Several proxies have the node id "${name}"; they are distinguished by their status.`,
      ),
    ];
    const changed = new Set(observations.flatMap((each) => ('clientId' in each ? [each.clientId] : [])));
    this.#schedule.follow(clientIds, changed);
    const current = new Set(clientIds);
    for (const byClient of [this.#configs, this.#unread, this.#unexplained])
      for (const clientId of byClient.keys()) if (!current.has(clientId)) byClient.delete(clientId);
    this.#connections.follow(connections?.names, current);
    this.polled.succeed({
      ...{ askedAt: at, clientIds, hasNews: observations.length > 0, notes: this.#notes() },
      ...{ latencyMs, answerBytes: answer.sizeBytes, notAdmitted, ...this.#process.facts },
    });
    for (const observation of observations) this.#emit(this.#asFirstPart(observation), new Map());
  }

  /** undefined if istiod does not report them. */
  async #requestConnections(): Promise<Connections | undefined> {
    const { clock } = this.#options;
    if (clock.now() < this.#rejected.noncesUntil) return undefined;
    try {
      const connections = readConnections(await this.#requestPage('syncz'));
      this.#rejected = { ...this.#rejected, nonces: '', noncesUntil: Number.NEGATIVE_INFINITY };
      return connections;
    } catch (error) {
      if (!isRejection(error)) throw error;
      const noncesUntil = clock.now() + this.intervalMs * 60;
      this.#rejected = { ...this.#rejected, nonces: reasonOf(error), noncesUntil };
      return undefined;
    }
  }

  async #pollConfig(clientId: string, isCurrent: IsCurrent): Promise<void> {
    const { clock, marker, sourceId } = this.#options;
    const client = this.#known.get(clientId);
    const at = clock.now();
    this.#requestMs = 0;
    try {
      // istiod cannot distinguish proxies with the same node id.
      const isSingle = client !== undefined && client.scope === '';
      const connection = isSingle
        ? await this.#connections.find([clientId, client], this.#knownNames(), this.#connectionList, at)
        : undefined;
      if (!isCurrent()) return;
      if (client === undefined || connection === undefined) {
        this.#schedule.configRequested(clientId, { at, tookMs: this.#requestMs });
        this.polled.update({ notes: this.#notes() });
        this.#completeReports([clientId]);
        return;
      }
      const read = readConfig((await this.#requestDebug({ kind: 'config', connection })).take(), marker);
      if (!isCurrent()) return;
      this.#schedule.configRequested(clientId, { at, tookMs: this.#requestMs });
      this.#rejected = { ...this.#rejected, configs: '' };
      this.#unread.set(clientId, read?.problems.length ?? 0);
      // If the proxy left this instance, or its config failed, the previous report remains.
      const resources = read?.rows ?? [...(this.#configs.get(clientId)?.rows.values() ?? [])];
      const known = this.#configs.get(clientId);
      const { now, observation } = compareClient(clientId, { ...client, resources }, known, {
        ...{ sourceId, vantage: 'istiod', at: clock.now(), side: 'control-plane' },
        ...(this.#answeredAt !== undefined && known !== undefined && { previousAt: this.#answeredAt }),
      });
      const sentAt = lastSentAt(client);
      this.#unexplained.delete(clientId);
      if (observation !== undefined && sentAt !== null && sentAt === known?.sentAt) {
        this.#unexplained.add(clientId);
        this.polled.update({ notes: this.#notes() });
        return;
      }
      this.#configs.set(clientId, { ...now, sentAt });
      this.#incomplete.delete(clientId);
      this.polled.update({
        notes: this.#notes(),
        ...(observation !== undefined && { lastChangedAt: clock.now() }),
      });
      if (observation !== undefined) this.#emit(observation, read?.bodies ?? new Map());
    } catch (error) {
      if (!isRejection(error)) throw error;
      if (!isCurrent()) return;
      this.#schedule.configRequested(clientId, { at, tookMs: this.#requestMs });
      this.#schedule.rejectConfigs(clock.now());
      this.#rejected = { ...this.#rejected, configs: reasonOf(error) };
      this.polled.update({ notes: this.#notes() });
      this.#completeReports([...this.#incomplete]);
    }
  }

  /** Marks the first report of a client as the first of two parts. The second part is the config. */
  #asFirstPart(observation: ConfigObservation): ConfigObservation {
    const { clientId, kind } = observation;
    if (kind !== 'client-config-changed' || this.#configs.has(clientId) || this.#rejected.configs !== '')
      return observation;
    this.#incomplete.add(clientId);
    return { ...observation, part: { number: 1, of: 2 } };
  }

  /** Emits the second part of first reports whose configs will not arrive. */
  #completeReports(clientIds: readonly string[]): void {
    const { sourceId, clock } = this.#options;
    for (const clientId of clientIds) {
      const client = this.#known.get(clientId);
      if (!this.#incomplete.delete(clientId) || client === undefined) continue;
      const { node, scope, side } = client;
      const end: ClientConfigChanged = {
        ...{ kind: 'client-config-changed', at: clock.now(), vantage: 'istiod', sourceId, clientId },
        ...{ side, node, scope, changed: [], removed: [], part: { number: 2, of: 2 } },
      };
      this.#emit(end, new Map());
    }
  }

  /** Returns the names of the connections that are known without the list of istiod. */
  #knownNames(): string[] {
    const proxies = Array.from(this.#known.values(), ({ node }) => node.id);
    const probes = this.#options.probedNodes().flatMap((id) => findProxyName({ id, metadata: {} }) ?? []);
    return [...proxies, ...probes];
  }

  readonly #connectionList: ConnectionList = {
    ids: async () => readConnectionIds(await this.#requestPage('connections')),
    clusterOf: async (id) => readCluster(await this.#requestPage(`adsz?proxyID=${id}`)),
  };

  async #requestPage(page: DebugPage): Promise<Buffer> {
    return (await this.#requestDebug({ kind: 'page', page })).take();
  }

  async #requestDebug(debugRequest: DebugRequest): Promise<RawAnswer> {
    const { nodeId, clock } = this.#options;
    const at = clock.now();
    try {
      return await this.request(encodeDebugRequest(debugRequest, nodeId));
    } finally {
      this.#requestMs += clock.now() - at;
    }
  }

  #notes(): string[] {
    const { nonces, configs } = this.#rejected;
    const unread = [...this.#unread.values()].reduce((sum, count) => sum + count, 0);
    const named = this.#known.size;
    const read = this.#schedule.configsRead;
    return [
      ...(this.#instance === '' ? [] : [`This is ${this.#instance}.`]),
      ...this.#answerNotes,
      ...(nonces === '' ? [] : [`istiod does not report nonces: ${nonces}`]),
      ...(configs === '' ? [] : [`istiod does not report the configs of its proxies: ${configs}`]),
      ...(configs === '' && read < named
        ? [`The config of ${read} of ${named} proxies has been read so far.`]
        : []),
      ...this.#connections.notes(),
      ...(this.#unexplained.size === 0
        ? []
        : [
            `istiod answered with another config of ${formatCounted(this.#unexplained.size, 'proxy', 'proxies')} although it had sent nothing: the answer is not used, because another client may have the same name.`,
          ]),
      ...(unread === 0 ? [] : [`${unread} parts of configs could not be read.`]),
    ];
  }

  protected override async explain(error: unknown): Promise<Problem> {
    const problem = await super.explain(error);
    return error instanceof CallError ? withHint(problem, error, this.target.text) : problem;
  }

  #emit(observation: ConfigObservation, bodies: ReadonlyMap<string, Body>): void {
    this.#options.observe({ observation, bodies: copyBodies(observation, bodies) });
  }
}

function withNonces(client: ReportedClient, connections: Connections): ReportedClient {
  const nonces = connections.noncesOf(client.node);
  const resources = client.resources.map((row) => {
    const reported = nonces.get(row.typeUrl);
    return reported === undefined ? row : { ...row, nonces: reported };
  });
  return { ...client, resources };
}

/** Returns the time when istiod last sent something that a config contains; null if it does not report the time. */
function lastSentAt({ rows }: KnownClient): EpochMs | null {
  let newest: EpochMs | null = null;
  for (const { typeUrl, lastUpdated } of rows.values()) {
    if (typeUrl !== EDS.typeUrl && lastUpdated !== null) newest = Math.max(newest ?? 0, lastUpdated);
  }
  return newest;
}

/** Codes with which a server without the type, or without permission for it, ends the stream. */
const rejections: ReadonlySet<number> = new Set([
  grpcStatus.UNAUTHENTICATED,
  grpcStatus.PERMISSION_DENIED,
  grpcStatus.INVALID_ARGUMENT,
  grpcStatus.NOT_FOUND,
  grpcStatus.DEADLINE_EXCEEDED,
]);

const authenticated =
  'istiod reports its own state to authenticated clients only: use its TLS port (15012) with a token or a certificate of istio-system, as a node of that namespace. Older ones, and those with ENABLE_DEBUG_ENDPOINT_AUTH=false, report it to every client on 15010.';

const otherIdentity = /debug info is not available for current identity/;

const hints: Readonly<Record<string, string>> = {
  UNAUTHENTICATED: authenticated,
  PERMISSION_DENIED: authenticated,
  DEADLINE_EXCEEDED: 'Is this an istiod? Other ADS servers do not have its type istio.io/debug/syncz.',
};

/** Adds what to do about an error of istiod. */
function withHint(problem: Problem, { details }: CallError, target: string): Problem {
  // istiod reports this as an error without a code of its own.
  if (otherIdentity.test(details)) {
    const message = `${target} denied the request: ${details}`;
    return { code: 'PERMISSION_DENIED', message, hint: authenticated };
  }
  const hint = hints[problem.code];
  return hint === undefined ? problem : { ...problem, hint };
}

/** True if istiod answers, but does not have the type, or not for this client. */
function isRejection(error: unknown): error is CallError | CodecError {
  return (
    error instanceof CodecError ||
    (error instanceof CallError && (rejections.has(error.code) || otherIdentity.test(error.details)))
  );
}

/** The reason as the end of a sentence. */
function reasonOf(error: CallError | CodecError): string {
  if (error instanceof CodecError) return `${error.message}.`;
  if (error.code === grpcStatus.DEADLINE_EXCEEDED) return 'it does not answer.';
  return `${grpcStatus[error.code] ?? error.code}${error.details === '' ? '' : `: ${error.details}`}.`;
}
