import type { Connection, ConnectionFigures } from '@/lib/observation/connection';
import type { ConnectivityState } from '@/lib/observation/connection-states';
import type { EpochMs } from '@/lib/xds/units';
import { redactMessage } from '../../codec/secrets/redact-message';
import { CallRates } from '../poll-diff/call-rates';
import type {
  ChannelMessage,
  CountsMessage,
  ServerMessage,
  SocketMessage,
  TraceMessage,
} from './channelz-messages';
import { readNumber, readTime } from './channelz-messages';
import type { ProcessReport } from './read';
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
const ejected =
  'ejected by outlier detection, according to a trace event of the channel; its connection is READY';
const maxTargetChars = 1_000;

interface ReadSubchannel {
  readonly open: readonly SocketMessage[];
  readonly connection: Connection;
}

export function isXdsTarget(target: string): boolean {
  return /^xds:/i.test(target);
}

/** Turns the reports of a process into its connections. It remembers since when states last and attempts fail. */
export class ConnectionTracker {
  #known = new Map<string, Connection>();
  readonly #rates = new CallRates();
  /** The key is the message that a subchannel was read from, because most of a large process are not read at each poll. */
  readonly #ofMessages = new WeakMap<ChannelMessage, ReadSubchannel>();

  /** The connections with their figures, in the order of the report. `at`: when it was requested. */
  update(report: ProcessReport, at: EpochMs): ReadonlyMap<string, Connection> {
    const rateOf = (id: string, started: number): number | null => this.#rates.count(id, started, at);
    const now = new Map<string, Connection>();
    const add = (connection: Connection): void => void now.set(connection.id, connection);
    for (const connection of this.#connectionsOf(report, at, rateOf)) add(connection);
    this.#known = now;
    this.#rates.keep(now);
    return now;
  }

  *#connectionsOf(
    report: ProcessReport,
    at: EpochMs,
    rateOf: (id: string, started: number) => number | null,
  ): Generator<Connection> {
    const { channels, subchannels, servers, sockets } = report;
    const usedBy = new Map<number, string[]>();
    const others = new Set<number>();
    const ejections = new Map<string, ReadonlyMap<string, Ejection>>();
    for (const [number, channel] of channels) {
      const id = `channel ${number}`;
      const isXds = isXdsTarget(channel.data?.target ?? '');
      for (const { subchannelId } of channel.subchannelRef ?? []) {
        const subchannel = readNumber(subchannelId);
        usedBy.set(subchannel, [...(usedBy.get(subchannel) ?? []), id]);
        if (!isXds) others.add(subchannel);
      }
      ejections.set(id, readEjections(channel.data?.trace));
      const figures = figuresOf(channel.data, id, [], rateOf);
      yield this.#observed(
        { ...base('channel', id), target: cut(channel.data?.target ?? ''), figures },
        channel,
        at,
      );
    }
    const replaced = this.#failedAndEnded(subchannels);
    for (const [number, subchannel] of subchannels) {
      const id = `subchannel ${number}`;
      const open = (subchannel.socketRef ?? []).flatMap(
        ({ socketId }) => sockets.get(readNumber(socketId)) ?? [],
      );
      const channelIds = usedBy.get(number) ?? [];
      const earlier = this.#ofMessages.get(subchannel);
      const hasEjections = channelIds.some((each) => (ejections.get(each)?.size ?? 0) > 0);
      const isRead = earlier !== undefined && isSameList(earlier.open, open);
      if (isRead && !hasEjections && isSameList(earlier.connection.channels, channelIds)) {
        yield earlier.connection;
        continue;
      }
      const rate = earlier?.connection.figures?.callsPerSecond ?? null;
      const { address, ...place } = readSubchannelTarget(subchannel.data?.target ?? '');
      const localAddresses = others.has(number)
        ? open.flatMap(({ local }) => formatSocketAddress(local) ?? [])
        : [];
      const connection = {
        ...{ ...base('subchannel', id), target: cut(address), channels: channelIds, ...place },
        ...(localAddresses.length > 0 && { localAddresses }),
        figures: figuresOf(subchannel.data, id, open, earlier === undefined ? rateOf : () => rate),
      };
      const observed = this.#observed(connection, subchannel, at, replaced.get(placeOf(connection)));
      const found = observed.channels.flatMap((channel) => ejections.get(channel)?.get(address) ?? []);
      const complete = this.#withEjection(observed, subchannel, found);
      this.#ofMessages.set(subchannel, { open, connection: complete });
      yield complete;
    }
    for (const [number, server] of servers) yield* this.#listenersOf(number, server, report, at, rateOf);
  }

  /** The subchannels that failed at the poll before and have ended since, by address and cluster. */
  #failedAndEnded(subchannels: ProcessReport['subchannels']): ReadonlyMap<string, Connection> {
    const ended = [...this.#known.values()].filter(
      ({ id, kind, failingSince }) =>
        kind === 'subchannel' &&
        failingSince !== undefined &&
        !subchannels.has(Number(id.slice('subchannel '.length))),
    );
    return new Map(ended.map((each) => [placeOf(each), each]));
  }

  /**
   * The subchannel of an ejected endpoint stays READY. A trace has the newest events only, and what was ejected before the
   * subchannel was created is not known to be now.
   */
  #withEjection(observed: Connection, { data }: ChannelMessage, ejections: readonly Ejection[]): Connection {
    if (observed.state !== 'READY') return observed;
    const createdAt = readTime(data?.trace?.creationTimestamp) ?? 0;
    const newest = ejections
      .filter(({ at }) => at >= createdAt)
      .reduce<Ejection | undefined>(laterOf, undefined);
    const before = this.#known.get(observed.id);
    const known = before?.state === 'EJECTED' ? before.failingSince : undefined;
    const since = newest === undefined ? known : newest.isOver ? undefined : newest.at;
    if (since === undefined) return observed;
    const { isSinceFirstPoll: _, ...rest } = observed;
    return { ...rest, state: 'EJECTED', since, failingSince: since, lastError: ejected };
  }

  *#listenersOf(
    number: number,
    { data, listenSocket = [] }: ServerMessage,
    { sockets, connected }: ProcessReport,
    at: EpochMs,
    rateOf: (id: string, started: number) => number | null,
  ): Generator<Connection> {
    const open = connected.get(number);
    for (const { socketId, name = '' } of listenSocket) {
      const id = `listener ${readNumber(socketId)}`;
      const address = formatSocketAddress(sockets.get(readNumber(socketId))?.local) ?? addressIn(name);
      const since = this.#known.get(id)?.since ?? readTime(data?.trace?.creationTimestamp);
      yield {
        ...{ ...base('listener', id), target: cut(address), channels: [`server ${number}`], state: 'READY' },
        ...(since === null || since === undefined
          ? { since: at, isSinceFirstPoll: true as const }
          : { since }),
        figures: {
          ...figuresOf(data, id, [], rateOf),
          ...(open !== undefined && {
            openConnections:
              listenSocket.length === 1
                ? open.length
                : open.filter((each) => isOn(sockets.get(each), address)).length,
          }),
        },
      };
    }
  }

  /**
   * Adds what is known of the state over time. `replaced`: LB policies replace subchannels that fail by new ones, whose traces
   * have none of the earlier attempts.
   */
  #observed(
    connection: Omit<Connection, 'state' | 'since'>,
    { data }: ChannelMessage,
    at: EpochMs,
    replaced?: Connection,
  ): Connection {
    const before = this.#known.get(connection.id);
    const trace = readTrace(data?.trace);
    const earlier = before ?? (trace.hasBeenReady ? undefined : replaced);
    const reported = stateNames[data?.state?.state ?? 0] ?? 'UNKNOWN';
    const failedBefore = reported === 'READY' ? null : (earlier?.failingSince ?? trace.failingSince);
    const isRetry = reported === 'CONNECTING' && (before?.failingSince ?? trace.failingSince) != null;
    const state = isRetry ? 'TRANSIENT_FAILURE' : reported;
    const failingSince = failedBefore ?? (state === 'TRANSIENT_FAILURE' ? at : null);
    const traced = state === 'TRANSIENT_FAILURE' ? failedBefore : trace.state === state ? trace.since : null;
    const known = before?.state === state && before.target === connection.target ? before : undefined;
    const isFirstPoll =
      traced === null && (known === undefined ? before === undefined : known.isSinceFirstPoll);
    const lastError = redactMessage(trace.lastError || (earlier?.lastError ?? ''));
    return {
      // Clocks differ, and those of C-core's traces by seconds.
      ...{ ...connection, state, since: Math.min(traced ?? known?.since ?? at, at) },
      ...(isFirstPoll === true && { isSinceFirstPoll: true as const }),
      ...(failingSince !== null && { failingSince: Math.min(failingSince, at) }),
      ...(failingSince !== null && lastError !== '' && { lastError }),
    };
  }
}

function isSameList<Item>(a: readonly Item[], b: readonly Item[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}

function laterOf(a: Ejection | undefined, b: Ejection): Ejection {
  return a === undefined || b.at >= a.at ? b : a;
}

function placeOf({ target, cluster = '' }: Pick<Connection, 'target' | 'cluster'>): string {
  return `${target} ${cluster}`;
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

/** Compares the ports, because the address of a socket that listens may be that of all interfaces. */
function isOn(socket: SocketMessage | undefined, address: string): boolean {
  return portOf(formatSocketAddress(socket?.local) ?? '') === portOf(address);
}

function portOf(address: string): string {
  return address.slice(address.lastIndexOf(':'));
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

interface Ejection {
  readonly at: EpochMs;
  /** The end of an ejection. */
  readonly isOver: boolean;
}

/** gRPC-Go: 'Subchannel ejected: [{Addr: "10.0.0.1:80", ServerName: "", }]' in the trace of the channel. */
const ejection = /\bSubchannel (un)?ejected: ([\s\S]*)$/;
const goAddress = /\bAddr: "([^"]+)"/g;

/**
 * The newest ejection of each address by outlier detection, according to the trace of a channel. Only gRPC-Go adds such
 * events: C-core and grpc-js log them alone, and gRPC-Java keeps no traces by default.
 */
function readEjections(trace: TraceMessage | null | undefined): ReadonlyMap<string, Ejection> {
  const newest = new Map<string, Ejection>();
  for (const { description = '', timestamp } of trace?.events ?? []) {
    const [, isOver, addresses = ''] = ejection.exec(description) ?? [];
    const at = readTime(timestamp);
    if (at === null) continue;
    for (const [, address = ''] of addresses.matchAll(goAddress))
      newest.set(readAddress(address), { at, isOver: isOver !== undefined });
  }
  return newest;
}
