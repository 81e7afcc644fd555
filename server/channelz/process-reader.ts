import type { ChannelMessage, ServerMessage, SocketMessage } from './channelz-messages';
import { type AnswerOf, type ChannelzMethod, readNumber } from './channelz-messages';

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
  /** The open connections of the subchannels, and the sockets on which servers listen. */
  readonly sockets: ReadonlyMap<number, SocketMessage>;
  /** Subchannels and sockets that this poll did not request; their earlier reports are used. */
  readonly postponed: number;
  /** Channels and servers beyond `mostListed`. */
  readonly isCut: boolean;
}

export interface ProcessReaderLimits {
  /** Requests of one poll, besides the pages of channels and servers. */
  readonly callsPerPoll: number;
  readonly callsAtOnce: number;
  /** Channels, and servers, of a process. */
  readonly mostListed: number;
}

/** One poll of 300 requests takes a process some 30 ms. */
export const usualLimits: ProcessReaderLimits = { callsPerPoll: 300, callsAtOnce: 8, mostListed: 1_000 };

const pageSize = 100;

/**
 * Reads the channels of a process: all top channels and servers at each poll, then each subchannel and each socket. If
 * there are more of these than a poll may request, polls take turns.
 */
export class ProcessReader {
  #subchannels = new Map<number, ChannelMessage>();
  #sockets = new Map<number, SocketMessage>();
  /** The id after which the next poll continues. */
  #nextSubchannel = 0;
  #nextSocket = 0;

  constructor(private readonly limits: ProcessReaderLimits = usualLimits) {}

  async read(call: CallChannelz): Promise<ProcessReport> {
    const listed = await this.#list(call);
    const wanted = [...listed.channels.values()].flatMap(({ subchannelRef = [] }) =>
      subchannelRef.map(({ subchannelId }) => readNumber(subchannelId)),
    );
    const subchannels = this.#turn(wanted, this.#subchannels, this.#nextSubchannel, this.limits.callsPerPoll);
    this.#subchannels = await this.#request(wanted, subchannels, this.#subchannels, async (id) => {
      return (await call('GetSubchannel', { subchannelId: id }))?.subchannel ?? undefined;
    });
    this.#nextSubchannel = subchannels.next;
    const socketIds = [
      ...[...listed.servers.values()].flatMap(({ listenSocket = [] }) => listenSocket),
      ...[...this.#subchannels.values()].flatMap(({ socketRef = [] }) => socketRef),
    ].map(({ socketId }) => readNumber(socketId));
    const left = this.limits.callsPerPoll - subchannels.ids.length;
    const sockets = this.#turn(socketIds, this.#sockets, this.#nextSocket, left);
    this.#sockets = await this.#request(socketIds, sockets, this.#sockets, async (id) => {
      return (await call('GetSocket', { socketId: id, summary: true }))?.socket ?? undefined;
    });
    this.#nextSocket = sockets.next;
    return {
      ...listed,
      subchannels: this.#subchannels,
      sockets: this.#sockets,
      postponed: subchannels.postponed + sockets.postponed,
    };
  }

  async #list(call: CallChannelz): Promise<Pick<ProcessReport, 'channels' | 'servers' | 'isCut'>> {
    const { mostListed } = this.limits;
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

  /** The ids that this poll requests: those that are new, then those whose turn it is. */
  #turn(wanted: readonly number[], known: ReadonlyMap<number, unknown>, next: number, most: number): Turn {
    const all = [...new Set(wanted)].sort((a, b) => a - b);
    const unknown = all.filter((id) => !known.has(id));
    const others = all.filter((id) => known.has(id));
    const start = others.findIndex((id) => id >= next);
    const inTurn = start < 0 ? others : [...others.slice(start), ...others.slice(0, start)];
    const ids = [...unknown, ...inTurn].slice(0, Math.max(0, most));
    const following = inTurn[Math.max(0, ids.length - unknown.length)] ?? 0;
    return { ids, next: following, postponed: all.length - ids.length };
  }

  /** The reports of the wanted ids, as far as they are known. */
  async #request<Message>(
    wanted: readonly number[],
    { ids }: Turn,
    known: ReadonlyMap<number, Message>,
    read: (id: number) => Promise<Message | undefined>,
  ): Promise<Map<number, Message>> {
    const answers = new Map<number, Message | undefined>();
    const waiting = [...ids];
    const work = async (): Promise<void> => {
      for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) answers.set(id, await read(id));
    };
    await Promise.all(Array.from({ length: this.limits.callsAtOnce }, work));
    const now = new Map<number, Message>();
    for (const id of wanted) {
      const message = answers.has(id) ? answers.get(id) : known.get(id);
      if (message !== undefined) now.set(id, message);
    }
    return now;
  }
}

interface Turn {
  readonly ids: readonly number[];
  readonly next: number;
  readonly postponed: number;
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
