import { ascending } from '@/lib/collections/compare';
import type {
  AnswerOf,
  ChannelMessage,
  ChannelzMethod,
  ServerMessage,
  SocketMessage,
  SocketRefMessage,
} from './channelz-messages';
import { readNumber } from './channelz-messages';

/** Sends one request of channelz; undefined: the process does not know the id any longer. */
export type CallChannelz = <Method extends ChannelzMethod>(
  method: Method,
  request: object,
) => Promise<AnswerOf<Method> | undefined>;

/** The channels, subchannels, servers and sockets that channelz reports of a process, by id. */
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
  /** A poll makes this many requests if they are needed, even if it has no time left. */
  readonly callsWithoutTime: number;
  readonly callsAtOnce: number;
  /** Channels, and servers, of a process. */
  readonly mostListed: number;
}

/** One poll of 300 requests takes a process some 30 ms. */
const usualLimits: ProcessReaderLimits = {
  ...{ mostCalls: 1_000, callsWithoutTime: 300, callsAtOnce: 16, mostListed: 1_000 },
};

const pageSize = 100;
/** Sockets have counts and addresses alone, while states must be current. */
const pollsPerSocket = 5;
/** The share of the requests of a poll that is for sockets, if there are sockets to request. */
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

interface TurnLimits<Message> {
  /** Asked before each request, because it may depend on the time that has passed. */
  readonly most: () => number;
  readonly atOnce: number;
  /** Each message is requested once in this many polls. */
  readonly pollsPerTurn?: number;
  /** Messages that are requested at each poll. They take at most half of the requests. */
  readonly isUrgent?: (id: number, known: Message) => boolean;
}

/** Reads messages by id, of which a poll may request only some: polls take turns. */
class Turns<Message> {
  #known: ReadonlyMap<number, Message> = new Map();
  /** The id with which the next poll continues. */
  #next = 0;

  /** The messages by id, in the order of `wanted`, as far as they are known. */
  get known(): ReadonlyMap<number, Message> {
    return this.#known;
  }

  /**
   * Requests what is new, then what is urgent, then what was not requested for the longest time. `read` returns undefined for
   * unknown ids.
   */
  async read(
    wanted: readonly number[],
    limits: TurnLimits<Message>,
    read: (id: number) => Promise<Message | undefined>,
  ): Promise<{ readonly requested: number; readonly postponed: number }> {
    const { first, inTurn, due } = this.#order(wanted, limits);
    const waiting = [...first, ...inTurn].slice(0, due);
    const answers = new Map<number, Message | undefined>();
    let requested = 0;
    const work = async (): Promise<void> => {
      for (let id = waiting[requested]; id !== undefined; id = waiting[requested]) {
        if (requested >= limits.most()) return;
        requested += 1;
        answers.set(id, await read(id));
      }
    };
    await Promise.all(Array.from({ length: limits.atOnce }, work));
    if (requested >= first.length) this.#next = inTurn[requested - first.length] ?? 0;
    const now = new Map<number, Message>();
    for (const id of wanted) {
      const message = answers.has(id) ? answers.get(id) : this.#known.get(id);
      if (message !== undefined) now.set(id, message);
    }
    this.#known = now;
    return { requested, postponed: due - requested };
  }

  /** `due`: how many there would be without the limit. */
  #order(wanted: readonly number[], { most, pollsPerTurn = 1, isUrgent }: TurnLimits<Message>) {
    const all = [...new Set(wanted)].sort(ascending);
    const first = all.filter((id) => !this.#known.has(id));
    const mostUrgent = first.length + Math.floor(most() / 2);
    const [before, after]: [number[], number[]] = [[], []];
    for (const id of all) {
      const known = this.#known.get(id);
      if (known === undefined) continue;
      if (isUrgent?.(id, known) === true && first.length < mostUrgent) first.push(id);
      else (id < this.#next ? before : after).push(id);
    }
    const inTurn = [...after, ...before];
    return { first, inTurn, due: first.length + Math.ceil(inTurn.length / pollsPerTurn) };
  }
}
