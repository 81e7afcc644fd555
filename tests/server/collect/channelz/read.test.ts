import { describe, expect, it } from 'vitest';
import type { AnswerOf, ChannelzMethod } from '@/server/collect/channelz/channelz-messages';
import { type CallChannelz, ProcessReader, type ProcessReaderLimits } from '@/server/collect/channelz/read';

const limitsOf = (calls: number, atOnce = 2, mostListed = 100): ProcessReaderLimits => ({
  ...{ mostCalls: calls, callsWithoutTime: calls, callsAtOnce: atOnce, mostListed },
});

/** A process with one channel of this number of subchannels, of which some fail and each has a socket. */
function processWith(subchannels: number, { failing = [] as number[], hasSockets = false } = {}) {
  const requests: [ChannelzMethod, number][] = [];
  let atOnce = 0;
  let mostAtOnce = 0;
  const answers: { [Method in ChannelzMethod]?: (request: object) => AnswerOf<Method> } = {
    GetTopChannels: () => ({
      channel: [
        {
          ref: { channelId: 1 },
          data: { target: 'xds:///shop' },
          subchannelRef: Array.from({ length: subchannels }, (_, index) => ({ subchannelId: index + 2 })),
        },
      ],
      end: true,
    }),
    GetServers: () => ({ end: true }),
    GetSubchannel: (request) => {
      const id = (request as { subchannelId: number }).subchannelId;
      return {
        subchannel: {
          data: { callsStarted: id, state: { state: failing.includes(id) ? 4 : 3 } },
          ...(hasSockets && { socketRef: [{ socketId: 100 + id }] }),
        },
      };
    },
    GetSocket: () => ({ socket: {} }),
  };
  const call: CallChannelz = async (method, request) => {
    requests.push([method, (request as { subchannelId?: number }).subchannelId ?? 0]);
    atOnce += 1;
    mostAtOnce = Math.max(mostAtOnce, atOnce);
    await new Promise(setImmediate);
    atOnce -= 1;
    return answers[method]?.(request);
  };
  const takeRequests = () =>
    requests.splice(0).flatMap(([method, id]) => (method === 'GetSubchannel' ? [id] : []));
  return { call, takeRequests, mostAtOnce: () => mostAtOnce };
}

describe('a poll of channelz', () => {
  it('makes a bounded number of requests, and polls take turns over the subchannels', async () => {
    const { call, takeRequests, mostAtOnce } = processWith(10);
    const reader = new ProcessReader(limitsOf(4));
    const first = await reader.read(call);
    expect(takeRequests()).toEqual([2, 3, 4, 5]);
    expect([first.subchannels.size, first.postponed]).toEqual([4, 6]);
    await reader.read(call);
    expect(takeRequests()).toEqual([6, 7, 8, 9]);
    const third = await reader.read(call);
    expect(takeRequests()).toEqual([10, 11, 2, 3]);
    expect([third.subchannels.size, third.postponed]).toEqual([10, 6]);
    await reader.read(call);
    expect(takeRequests()).toEqual([4, 5, 6, 7]);
    expect(mostAtOnce()).toBe(2);
  });

  it('requests subchannels that fail at each poll, with at most half of its requests', async () => {
    const { call, takeRequests } = processWith(10, { failing: [3, 9, 11] });
    const reader = new ProcessReader(limitsOf(4));
    for (let poll = 0; poll < 3; poll++) await reader.read(call);
    takeRequests();
    await reader.read(call);
    expect(takeRequests()).toEqual([3, 9, 2, 4]);
    await reader.read(call);
    expect(takeRequests()).toEqual([3, 9, 5, 6]);
    await reader.read(call);
    expect(takeRequests()).toEqual([3, 9, 7, 8]);
  });

  it('requests sockets with a fifth of its requests, however many subchannels there are', async () => {
    const { call, takeRequests } = processWith(20, { hasSockets: true });
    const reader = new ProcessReader(limitsOf(5));
    for (let poll = 0; poll < 6; poll++) await reader.read(call);
    takeRequests();
    const { sockets } = await reader.read(call);
    expect(takeRequests()).toHaveLength(4);
    expect(sockets.size).toBe(7);
  });

  it('makes fewer requests when it has no time left', async () => {
    const { call, takeRequests } = processWith(20);
    const reader = new ProcessReader({ ...limitsOf(10), callsWithoutTime: 3 });
    await reader.read(call, () => true);
    expect(takeRequests()).toHaveLength(10);
    const { postponed } = await reader.read(call, () => false);
    expect(takeRequests()).toEqual([12, 13, 14]);
    expect(postponed).toBe(17);
  });

  it('requests each socket once in five polls, and new ones at once', async () => {
    const polls: number[][] = [];
    let sockets = 10;
    const call: CallChannelz = async (method, request) => {
      if (method === 'GetSocket') polls.at(-1)?.push((request as { socketId: number }).socketId);
      const socketRef = Array.from({ length: sockets }, (_, index) => ({ socketId: index + 1 }));
      const answers: { [Method in ChannelzMethod]?: AnswerOf<Method> } = {
        GetTopChannels: {
          channel: [{ ref: { channelId: 1 }, subchannelRef: [{ subchannelId: 2 }] }],
          end: true,
        },
        GetServers: { end: true },
        GetSubchannel: { subchannel: { socketRef } },
        GetSocket: { socket: {} },
      };
      return answers[method];
    };
    const reader = new ProcessReader(limitsOf(100, 1));
    for (let poll = 0; poll < 7; poll++) {
      if (poll === 6) sockets = 11;
      polls.push([]);
      expect((await reader.read(call)).postponed).toBe(0);
    }
    const pairs = [
      [1, 2],
      [3, 4],
      [5, 6],
      [7, 8],
      [9, 10],
    ];
    expect(polls).toEqual([pairs.flat(), ...pairs, [11, 1, 2]]);
  });

  it('requests every page of channels, and at most as many channels as the limit', async () => {
    const from: number[] = [];
    const call: CallChannelz = async (method, request) => {
      const { startChannelId = 0 } = request as { startChannelId?: number };
      if (method === 'GetTopChannels') from.push(startChannelId);
      const ids = [0, 1, 2].map((index) => startChannelId + index + 1);
      const answer = { channel: ids.map((channelId) => ({ ref: { channelId } })), server: [], end: false };
      return answer as AnswerOf<typeof method>;
    };
    const report = await new ProcessReader(limitsOf(4, 2, 5)).read(call);
    expect(from).toEqual([0, 4]);
    expect([report.channels.size, report.isCut]).toEqual([5, true]);
  });

  it('requests who is connected to the servers that listen, and each connection only of those that listen on several', async () => {
    const requests: [ChannelzMethod, object][] = [];
    const listenSocket = [{ socketId: 21 }, { socketId: 22 }];
    const call: CallChannelz = async (method, request) => {
      requests.push([method, request]);
      const answers: { [Method in ChannelzMethod]?: AnswerOf<Method> } = {
        GetServers: {
          server: [
            { ref: { serverId: 1 }, listenSocket },
            { ref: { serverId: 2 }, listenSocket: [{ socketId: 23 }] },
            { ref: { serverId: 3 } },
          ],
          end: true,
        },
        GetServerSockets: { socketRef: [{ socketId: 31 }] },
        GetSocket: { socket: {} },
      };
      return answers[method];
    };
    const report = await new ProcessReader().read(call);
    const ofServers = requests.flatMap(([method, request]) =>
      method === 'GetServerSockets' ? [request] : [],
    );
    expect(ofServers).toEqual([
      { serverId: 1, maxResults: 100 },
      { serverId: 2, maxResults: 100 },
    ]);
    expect(Object.fromEntries(report.connected)).toEqual({ 1: [31], 2: [31] });
    expect([...report.sockets.keys()]).toEqual([21, 22, 23, 31]);
  });

  it('ends if a page contains nothing new', async () => {
    const call: CallChannelz = async (method) => {
      return { channel: [{ ref: { channelId: 7 } }], server: [], end: false } as AnswerOf<typeof method>;
    };
    expect((await new ProcessReader().read(call)).channels.size).toBe(1);
  });
});
