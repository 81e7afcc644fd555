import { status as grpcStatus } from '@grpc/grpc-js';
import type { Connection } from '@/lib/observation/connection';
import type { Observation } from '@/lib/observation/observation';
import { packFigures } from '@/lib/observation/packed-figures';
import { noRequests } from '@/lib/observation/packed-requests';
import { serverScope } from '@/lib/xds/client-scope';
import type { RedactionMarker } from '../../codec/redaction-marker';
import { CallError } from '../../transport/grpc/grpc-requester';
import type { CollectedKind, CollectedParts } from '../collector/serve-collector';
import { ClientsOfProcess, csdsPaths } from '../poll-diff/clients-of-process';
import { compareConnections } from '../poll-diff/compare-connections';
import { connectionParts } from '../poll-diff/connection-parts';
import {
  GrpcPoller,
  type GrpcPollerKind,
  type GrpcPollerOptions,
  type GrpcPollerSetup,
} from '../poll-diff/grpc-poller';
import type { IsCurrent } from '../poll-diff/poller';
import { type CountedRequests, RequestWindows } from '../poll-diff/request-windows';
import {
  type AnswerOf,
  type ChannelzMethod,
  decodeAnswer,
  encodeRequest,
  pathOf,
  readTime,
} from './channelz-messages';
import { ConnectionTracker, isXdsTarget } from './connection-tracker';
import { isLocalAddress, KnownServers, markManagementServer } from './management-servers';
import { ProcessReader, type ProcessReport } from './read';

export interface ChannelzPollerOptions extends GrpcPollerOptions {
  readonly marker: RedactionMarker;
  readonly servers: KnownServers;
}

/** The options of a poller that cross the threads. */
export type ChannelzSetup = GrpcPollerSetup;

export function collectChannelz({ marker, polling }: CollectedParts): CollectedKind<ChannelzSetup> {
  const servers = new KnownServers();
  return {
    open: (sourceId, setup, handler) =>
      new ChannelzPoller({ sourceId, marker, servers, ...polling, ...handler, ...setup }),
    onProcess: ({ servers: named }) => servers.setNamed(named),
  };
}

const kind: GrpcPollerKind = {
  ...{
    vantage: 'channelz',
    service: 'channelz',
    hint: 'Does this process serve channelz and CSDS on this port?',
  },
  ...csdsPaths,
  ...{ intervalMs: 1_000, deadlineMs: 10_000, maxBackoffMs: 30_000 },
};

/** The clients of the process are requested again after this number of polls. */
const pollsPerIdentity = 30;
/**
 * They are also requested at each of this number of polls after its channels or servers have changed, because a new
 * client may not have requested anything yet.
 */
const pollsAfterChange = 5;

/** The share of the interval after which a poll makes only the least number of requests. */
const shareOfPoll = 0.1;

/**
 * Polls the channelz of a gRPC process: its channels, subchannels and listeners. channelz names no xDS client, so the
 * clients of the process are those of its CSDS, which is served on the same port.
 */
export class ChannelzPoller extends GrpcPoller {
  readonly #options: ChannelzPollerOptions;
  readonly #reader = new ProcessReader();
  readonly #tracker = new ConnectionTracker();
  readonly #requests = new RequestWindows();
  readonly #process: ClientsOfProcess;
  /** The connections that were emitted, by client. */
  readonly #emitted = new Map<string, ReadonlyMap<string, Connection>>();
  #members = '';
  #pollsSinceChange = 0;
  #pollsSinceIdentity = Number.POSITIVE_INFINITY;

  constructor(options: ChannelzPollerOptions) {
    super(options, kind);
    this.#options = options;
    this.#process = new ClientsOfProcess({ ...options, request: (message) => this.request(message) });
  }

  protected override failed(): void {
    this.#pollsSinceIdentity = Number.POSITIVE_INFINITY;
  }

  protected override async poll(isCurrent: IsCurrent): Promise<number> {
    const { clock } = this.#options;
    const askedAt = clock.now();
    const hasTime = (): boolean => clock.now() - askedAt < this.intervalMs * shareOfPoll;
    const report = await this.#reader.read((method, request) => this.#call(method, request), hasTime);
    const members = membersOf(report);
    if (members !== this.#members) this.#pollsSinceChange = 0;
    const isDue = this.#pollsSinceIdentity >= pollsPerIdentity || this.#pollsSinceChange < pollsAfterChange;
    if (isDue || this.#process.clients.size === 0) await this.#identify();
    if (!isCurrent()) return 0;
    this.#pollsSinceIdentity += 1;
    this.#pollsSinceChange += 1;
    this.#members = members;
    const all = this.#markServers(this.#tracker.update(report, askedAt));
    const observations = [...this.#changes(all, clock.now())];
    this.polled.succeed({
      ...{ askedAt, clientIds: [...this.#process.clients.keys()], hasNews: observations.length > 0 },
      ...{
        latencyMs: clock.now() - askedAt,
        notes: this.#notes(report, all),
        figures: packFigures(all.values()),
        requests: this.#requests.count(requestsOf(all.values(), report), askedAt),
      },
    });
    for (const observation of observations) this.#options.observe({ observation, bodies: [] });
    return this.waitAfter(askedAt);
  }

  #markServers(connections: ReadonlyMap<string, Connection>): ReadonlyMap<string, Connection> {
    const { servers, target } = this.#options;
    const isLocal = isLocalAddress(target);
    const all = markManagementServer(connections, (address) => servers.has(address, isLocal));
    for (const { kind, isManagementServer, target: server } of all.values())
      if (kind === 'channel' && isManagementServer === true) servers.learn(server, isLocal);
    return all;
  }

  async #call<Method extends ChannelzMethod>(
    method: Method,
    request: object,
  ): Promise<AnswerOf<Method> | undefined> {
    try {
      const answer = await this.requestUnary(pathOf(method), encodeRequest(method, request));
      return decodeAnswer(method, answer.take());
    } catch (error) {
      // A channel or socket that a list named may have ended before it was requested.
      if (error instanceof CallError && error.code === grpcStatus.NOT_FOUND) return undefined;
      const isOptional = method === 'GetServerSockets';
      if (isOptional && error instanceof CallError && error.code === grpcStatus.UNIMPLEMENTED)
        return undefined;
      throw error;
    }
  }

  async #identify(): Promise<void> {
    await this.#process.identify();
    this.#pollsSinceIdentity = 0;
  }

  *#changes(all: ReadonlyMap<string, Connection>, at: number): Generator<Observation> {
    const { sourceId } = this.#options;
    const base = { at, vantage: 'channelz', sourceId } as const;
    for (const clientId of [...this.#emitted.keys()]) {
      if (this.#process.clients.has(clientId)) continue;
      this.#emitted.delete(clientId);
      const reason = 'the process reports no such xDS client any longer';
      yield { ...base, kind: 'client-gone', clientId, side: 'client', reason };
    }
    for (const [clientId, client] of this.#process.clients) {
      const now = connectionsOfClient(all.values(), client.scope);
      const changes = compareConnections(this.#emitted.get(clientId), now);
      this.#emitted.set(clientId, new Map(now.map((each) => [each.id, each])));
      if (changes !== undefined)
        yield* connectionParts({ ...base, clientId, node: client.node, scope: client.scope }, changes);
    }
  }

  #notes({ postponed, isCut }: ProcessReport, all: ReadonlyMap<string, Connection>): string[] {
    const lack = this.#process.findLack('its channels belong to');
    const isIdle = ![...all.values()].some(({ kind, target }) => kind === 'channel' && isXdsTarget(target));
    return [
      ...(lack === undefined ? [] : [lack]),
      ...(isIdle && lack === undefined ? ['The process has no channel with an xds: target.'] : []),
      ...(postponed === 0
        ? []
        : [
            `A poll makes at most 1,000 requests, and 300 if they take longer than a tenth of its interval: ${postponed} subchannels, servers and sockets wait for the next polls.`,
          ]),
      ...(isCut ? ['The process has more than 1,000 channels or servers: the others are not read.'] : []),
    ];
  }
}

/** The channels and servers: others can mean other clients. A client has a channel of its own to its management server. */
function membersOf({ channels, servers }: ProcessReport): string {
  return `${[...channels.keys()].sort().join()} ${[...servers.keys()].sort().join()}`;
}

/**
 * The connections of one xDS client of a process. A client with a target has those channels of xDS that dial it; channels
 * to other targets, such as management servers, belong to the process.
 */
function connectionsOfClient(all: Iterable<Connection>, scope: string): Connection[] {
  const chosen = new Set<string>();
  const connections: Connection[] = [];
  for (const connection of all) {
    const { id, kind, target, channels } = connection;
    if (kind === 'channel' && !isChannelOf(target, scope)) continue;
    if (kind === 'listener' && scope !== '' && scope !== serverScope) continue;
    const used = channels.filter((channel) => chosen.has(channel));
    if (kind === 'subchannel' && used.length === 0) continue;
    chosen.add(id);
    const isWhole = kind !== 'subchannel' || used.length === channels.length;
    connections.push(isWhole ? connection : { ...connection, channels: used });
  }
  return connections;
}

function isChannelOf(target: string, scope: string): boolean {
  if (!isXdsTarget(target) || scope === '') return true;
  return withoutSlashes(target) === withoutSlashes(scope);
}

/** CSDS of C-core has "xds:/shop" where channelz has "xds:///shop". */
function withoutSlashes(target: string): string {
  return target.replace(/^xds:\/*/i, '');
}

/** The RPCs of the channels to targets of xDS. Those of a channel to a management server are its streams. */
function requestsOf(all: Iterable<Connection>, { channels }: ProcessReport): CountedRequests[] {
  return [...all].flatMap(({ id, kind, target: name, figures }) => {
    if (kind !== 'channel' || figures === undefined || !isXdsTarget(name)) return [];
    const { callsSucceeded, callsFailed: failed } = figures;
    const startedAt = readTime(
      channels.get(Number(id.slice('channel '.length)))?.data?.trace?.creationTimestamp,
    );
    return [{ id, name, startedAt, counts: { ...noRequests, completed: callsSucceeded + failed, failed } }];
  });
}
