import type { ChannelMessage, ServerMessage, SocketMessage } from './channelz-messages';
import { type AnswerOf, type ChannelzMethod, readNumber, type SocketRefMessage } from './channelz-messages';
import { Turns } from './turns';

/** Sends one request of channelz; undefined: the process does not know the id any longer. */
export type CallChannelz = <Method extends ChannelzMethod>(
  method: Method,
  request: object,
) => Promise<AnswerOf<Method> | undefined>;

/** What channelz reports of a process, by id. */
export interface ProcessReport {
  readonly channels: ReadonlyMap<number, ChannelMessage>;
  readonly subchannels: ReadonlyMap<number, ChannelMessage>;
  readonly servers: ReadonlyMap<number, ServerMessage>;
  /** The ids of the open connections of their clients, at most 100, by server. A server without an entry does not report them. */
  readonly connected: ReadonlyMap<number, readonly number[]>;
  /**
   * The open connections of the subchannels, the sockets on which servers listen, and the connections to servers that listen
   * on several.
   */
  readonly sockets: ReadonlyMap<number, SocketMessage>;
  /** Subchannels, servers and sockets that this poll did not request; their earlier reports are used. */
  readonly postponed: number;
  /** Channels and servers beyond `mostListed`. */
  readonly isCut: boolean;
}

export interface ProcessReaderLimits {
  /** Requests of one poll, besides the pages of channels and servers, while it has time. */
  readonly mostCalls: number;
  /** A poll makes so many if they are needed, even if it has no time left. */
  readonly callsWithoutTime: number;
  readonly callsAtOnce: number;
  /** Channels, and servers, of a process. */
  readonly mostListed: number;
}

/** One poll of 300 requests takes a process some 30 ms. */
export const usualLimits: ProcessReaderLimits = {
  ...{ mostCalls: 1_000, callsWithoutTime: 300, callsAtOnce: 16, mostListed: 1_000 },
};

const pageSize = 100;
/** Sockets have counts and addresses alone, while states must be current. */
const pollsPerSocket = 5;
/** Of the requests of a poll, if there are sockets to request. */
const shareOfSockets = 0.2;
/** CONNECTING and TRANSIENT_FAILURE, by the numbers of grpc.channelz.v1.ChannelConnectivityState. */
const unsettled: ReadonlySet<number> = new Set([2, 4]);

/**
 * Reads the channels of a process: all top channels and servers at each poll, then who is connected to each server, each
 * subchannel and each socket. If there are more of these than a poll may request, polls take turns.
 */
export class ProcessReader {
  readonly #limits: ProcessReaderLimits;

  readonly #subchannels = new Turns<ChannelMessage>();
  readonly #connected = new Turns<readonly number[]>();
  readonly #sockets = new Turns<SocketMessage>();

  constructor(limits: ProcessReaderLimits = usualLimits) {
    this.#limits = limits;
  }

  /** `hasTime`: whether this poll may go on beyond `callsWithoutTime`. */
  async read(call: CallChannelz, hasTime: () => boolean = () => true): Promise<ProcessReport> {
    const { mostCalls, callsWithoutTime, callsAtOnce: atOnce } = this.#limits;
    const most = (): number => (hasTime() ? mostCalls : callsWithoutTime);
    const mostForSockets = (): number => Math.ceil(most() * shareOfSockets);
    const listed = await this.#list(call);
    const listening = [...listed.servers].filter(([, { listenSocket = [] }]) => listenSocket.length > 0);
    const servers = await this.#connected.read(
      listening.map(([id]) => id),
      { most, atOnce },
      async (serverId) => {
        const answer = await call('GetServerSockets', { serverId, maxResults: pageSize });
        return answer && idsOf(answer.socketRef);
      },
    );
    const reserved = this.#socketsOf(listening).length === 0 ? () => 0 : mostForSockets;
    const subchannels = await this.#subchannels.read(
      [...listed.channels.values()].flatMap(({ subchannelRef = [] }) =>
        subchannelRef.map(({ subchannelId }) => readNumber(subchannelId)),
      ),
      {
        most: () => most() - servers.requested - reserved(),
        atOnce,
        isUrgent: (_, { data }) => unsettled.has(data?.state?.state ?? 0),
      },
      async (subchannelId) => (await call('GetSubchannel', { subchannelId }))?.subchannel ?? undefined,
    );
    const sockets = await this.#sockets.read(
      this.#socketsOf(listening),
      {
        most: () => Math.max(mostForSockets(), most() - servers.requested - subchannels.requested),
        atOnce,
        pollsPerTurn: pollsPerSocket,
      },
      async (socketId) => (await call('GetSocket', { socketId, summary: true }))?.socket ?? undefined,
    );
    return {
      ...listed,
      ...{ subchannels: this.#subchannels.known, connected: this.#connected.known },
      sockets: this.#sockets.known,
      postponed: servers.postponed + subchannels.postponed + sockets.postponed,
    };
  }

  /** The sockets of which something is shown. `listening`: the servers that listen. */
  #socketsOf(listening: readonly (readonly [id: number, server: ServerMessage])[]): number[] {
    return [
      ...listening.flatMap(([, { listenSocket }]) => idsOf(listenSocket)),
      ...[...this.#subchannels.known.values()].flatMap(({ socketRef }) => idsOf(socketRef)),
      ...listening.flatMap(([id, { listenSocket = [] }]) =>
        listenSocket.length > 1 ? (this.#connected.known.get(id) ?? []) : [],
      ),
    ];
  }

  async #list(call: CallChannelz): Promise<Pick<ProcessReport, 'channels' | 'servers' | 'isCut'>> {
    const { mostListed } = this.#limits;
    const channels = await listPages(mostListed, async (from) => {
      const answer = await call('GetTopChannels', { startChannelId: from, maxResults: pageSize });
      const items = (answer?.channel ?? []).map(
        (channel) => [readNumber(channel.ref?.channelId), channel] as const,
      );
      return { items, isLast: answer?.end === true };
    });
    const servers = await listPages(mostListed, async (from) => {
      const answer = await call('GetServers', { startServerId: from, maxResults: pageSize });
      const items = (answer?.server ?? []).map(
        (server) => [readNumber(server.ref?.serverId), server] as const,
      );
      return { items, isLast: answer?.end === true };
    });
    return { channels: channels.found, servers: servers.found, isCut: channels.isCut || servers.isCut };
  }
}

function idsOf(sockets: readonly SocketRefMessage[] | undefined): number[] {
  return (sockets ?? []).map(({ socketId }) => readNumber(socketId));
}

interface Page<Item> {
  readonly items: readonly (readonly [id: number, item: Item])[];
  readonly isLast: boolean;
}

async function listPages<Item>(most: number, read: (from: number) => Promise<Page<Item>>) {
  const found = new Map<number, Item>();
  for (let from = 0; ; ) {
    const { items, isLast } = await read(from);
    for (const [id, item] of items) {
      if (found.size >= most && !found.has(id)) return { found, isCut: true };
      found.set(id, item);
    }
    const last = Math.max(from - 1, ...items.map(([id]) => id));
    // A page that contains nothing new must be the last one, whatever it states.
    if (isLast || last < from) return { found, isCut: false };
    from = last + 1;
  }
}
