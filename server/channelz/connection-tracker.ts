import type { Connection, ConnectionFigures, ConnectivityState } from '@/lib/observation/connection';
import type { EpochMs } from '@/lib/xds/units';
import { redactMessage } from '../codec/secrets/redact-message';
import { CallRates } from '../poll-diff/call-rates';
import {
  type ChannelMessage,
  type CountsMessage,
  readNumber,
  readTime,
  type ServerMessage,
  type SocketMessage,
} from './channelz-messages';
import type { ProcessReport } from './process-reader';
import { formatSocketAddress, readAddress, readSubchannelTarget } from './read-address';
import { readTrace } from './read-trace';

/** grpc.channelz.v1.ChannelConnectivityState.State, by number. */
const stateNames: readonly ConnectivityState[] = [
  'UNKNOWN',
  'IDLE',
  'CONNECTING',
  'READY',
  'TRANSIENT_FAILURE',
  'SHUTDOWN',
];
const maxTargetChars = 1_000;

export function isXdsTarget(target: string): boolean {
  return /^xds:/i.test(target);
}

/** Turns the reports of a process into its connections. It remembers since when states last and attempts fail. */
export class ConnectionTracker {
  #known = new Map<string, Connection>();
  readonly #rates = new CallRates();

  /** The connections with their figures, in the order of the report. `at`: when it was requested. */
  update(report: ProcessReport, at: EpochMs): ReadonlyMap<string, Connection> {
    const rateOf = (id: string, started: number): number | null => this.#rates.rateOf(id, started, at);
    const now = new Map<string, Connection>();
    const add = (connection: Connection): void => void now.set(connection.id, connection);
    for (const connection of this.#connectionsOf(report, at, rateOf)) add(connection);
    this.#known = now;
    const started = new Map(
      [...now].map(([id, { figures }]): [string, number] => [id, figures?.callsStarted ?? 0]),
    );
    this.#rates.count(started, at);
    return now;
  }

  *#connectionsOf(
    { channels, subchannels, servers, sockets }: ProcessReport,
    at: EpochMs,
    rateOf: (id: string, started: number) => number | null,
  ): Generator<Connection> {
    const usedBy = new Map<number, string[]>();
    const others = new Set<number>();
    for (const [number, channel] of channels) {
      const id = `channel ${number}`;
      const isXds = isXdsTarget(channel.data?.target ?? '');
      for (const { subchannelId } of channel.subchannelRef ?? []) {
        const subchannel = readNumber(subchannelId);
        usedBy.set(subchannel, [...(usedBy.get(subchannel) ?? []), id]);
        if (!isXds) others.add(subchannel);
      }
      const figures = figuresOf(channel.data, id, [], rateOf);
      yield this.#observed(
        { ...base('channel', id), target: cut(channel.data?.target ?? ''), figures },
        channel,
        at,
      );
    }
    for (const [number, subchannel] of subchannels) {
      const id = `subchannel ${number}`;
      const open = (subchannel.socketRef ?? []).flatMap(
        ({ socketId }) => sockets.get(readNumber(socketId)) ?? [],
      );
      const { address, ...place } = readSubchannelTarget(subchannel.data?.target ?? '');
      const localAddresses = others.has(number)
        ? open.flatMap(({ local }) => formatSocketAddress(local) ?? [])
        : [];
      const connection = {
        ...{ ...base('subchannel', id), target: cut(address), channels: usedBy.get(number) ?? [], ...place },
        ...(localAddresses.length > 0 && { localAddresses }),
        figures: figuresOf(subchannel.data, id, open, rateOf),
      };
      yield this.#observed(connection, subchannel, at);
    }
    for (const [number, server] of servers) yield* this.#listenersOf(number, server, sockets, at, rateOf);
  }

  *#listenersOf(
    number: number,
    { data, listenSocket = [] }: ServerMessage,
    sockets: ProcessReport['sockets'],
    at: EpochMs,
    rateOf: (id: string, started: number) => number | null,
  ): Generator<Connection> {
    for (const { socketId, name = '' } of listenSocket) {
      const id = `listener ${readNumber(socketId)}`;
      const address = formatSocketAddress(sockets.get(readNumber(socketId))?.local) ?? addressIn(name);
      const since = this.#known.get(id)?.since ?? readTime(data?.trace?.creationTimestamp);
      yield {
        ...{ ...base('listener', id), target: cut(address), channels: [`server ${number}`], state: 'READY' },
        ...(since === null || since === undefined
          ? { since: at, isSinceFirstPoll: true as const }
          : { since }),
        figures: figuresOf(data, id, [], rateOf),
      };
    }
  }

  /** Adds what is known of the state over time. */
  #observed(
    connection: Omit<Connection, 'state' | 'since'>,
    { data }: ChannelMessage,
    at: EpochMs,
  ): Connection {
    const before = this.#known.get(connection.id);
    const trace = readTrace(data?.trace);
    const reported = stateNames[data?.state?.state ?? 0] ?? 'UNKNOWN';
    const failedBefore = reported === 'READY' ? null : (before?.failingSince ?? trace.failingSince);
    const isRetry = reported === 'CONNECTING' && failedBefore !== null;
    const state = isRetry ? 'TRANSIENT_FAILURE' : reported;
    const failingSince = failedBefore ?? (state === 'TRANSIENT_FAILURE' ? at : null);
    const traced = state === 'TRANSIENT_FAILURE' ? failedBefore : trace.state === state ? trace.since : null;
    const known = before?.state === state && before.target === connection.target ? before : undefined;
    const isFirstPoll =
      traced === null && (known === undefined ? before === undefined : known.isSinceFirstPoll);
    const lastError = redactMessage(trace.lastError || (before?.lastError ?? ''));
    return {
      // Clocks differ, and those of C-core's traces by seconds.
      ...{ ...connection, state, since: Math.min(traced ?? known?.since ?? at, at) },
      ...(isFirstPoll === true && { isSinceFirstPoll: true as const }),
      ...(failingSince !== null && { failingSince: Math.min(failingSince, at) }),
      ...(failingSince !== null && lastError !== '' && { lastError }),
    };
  }
}

function base(kind: Connection['kind'], id: string): Pick<Connection, 'id' | 'kind' | 'channels'> {
  return { id, kind, channels: [] };
}

function figuresOf(
  data: CountsMessage | null | undefined,
  id: string,
  sockets: readonly SocketMessage[],
  rateOf: (id: string, started: number) => number | null,
): ConnectionFigures {
  const callsStarted = readNumber(data?.callsStarted);
  return {
    callsStarted,
    callsSucceeded: readNumber(data?.callsSucceeded),
    callsFailed: readNumber(data?.callsFailed),
    lastCallStartedAt: readTime(data?.lastCallStartedTimestamp),
    openStreams:
      sockets.length === 0 ? null : sockets.reduce((sum, socket) => sum + openStreamsOf(socket), 0),
    callsPerSecond: rateOf(id, callsStarted),
  };
}

function openStreamsOf({ data }: SocketMessage): number {
  const ended = readNumber(data?.streamsSucceeded) + readNumber(data?.streamsFailed);
  return Math.max(0, readNumber(data?.streamsStarted) - ended);
}

/** gRPC-Java's names of sockets contain their address, as in "ListenSocket{… L:/[0:0:0:0:0:0:0:0]:4231]}". */
function addressIn(name: string): string {
  const [, java] = /\bL:\/?(\S+:\d+)/.exec(name) ?? [];
  return readAddress(java ?? name);
}

function cut(text: string): string {
  return redactMessage(text.slice(0, maxTargetChars));
}
