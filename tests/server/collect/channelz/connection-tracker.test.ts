import { describe, expect, it } from 'vitest';
import type { ChannelMessage, SocketMessage } from '@/server/collect/channelz/channelz-messages';
import { ConnectionTracker } from '@/server/collect/channelz/connection-tracker';
import type { ProcessReport } from '@/server/collect/channelz/read';

const address = 'ipv4:10.0.0.1:80';
/** The numbers of grpc.channelz.v1.ChannelConnectivityState. */
const states = { IDLE: 1, CONNECTING: 2, READY: 3, TRANSIENT_FAILURE: 4 } as const;
type State = keyof typeof states;

/** A subchannel to the address whose trace has these states, the newest last, and then `error`. */
function subchannel(traced: readonly State[], error = ''): ChannelMessage {
  const events = traced.map((name, index) => ({
    description: `Subchannel state changed to ${name}${name === 'TRANSIENT_FAILURE' ? `: ${error}` : ''}`,
    timestamp: { seconds: index + 1 },
  }));
  const newest = traced.at(-1);
  return {
    data: { target: address, state: { state: newest === undefined ? 1 : states[newest] }, trace: { events } },
  };
}

function reportOf(subchannels: Readonly<Record<number, ChannelMessage>>): ProcessReport {
  const byId = Object.entries(subchannels).map(([id, each]) => [Number(id), each] as const);
  const subchannelRef = byId.map(([subchannelId]) => ({ subchannelId }));
  return {
    channels: new Map([[1, { data: { target: 'xds:///shop' }, subchannelRef }]]),
    subchannels: new Map(byId),
    ...{ servers: new Map(), connected: new Map(), sockets: new Map(), postponed: 0, isCut: false },
  };
}

describe('a subchannel that replaces another one to its address', () => {
  const tracker = () => {
    const created = new ConnectionTracker();
    created.update(
      reportOf({ 2: subchannel(['CONNECTING', 'TRANSIENT_FAILURE'], 'connection refused') }),
      9_000,
    );
    return created;
  };

  it.each([{ traced: [] }, { traced: ['CONNECTING'] }] as const)(
    'has the failed attempts of the one before until it is READY: $traced',
    ({ traced }) => {
      const now = tracker()
        .update(reportOf({ 3: subchannel(traced) }), 10_000)
        .get('subchannel 3');
      expect(now).toMatchObject({
        ...{ state: traced[0] ?? 'IDLE', failingSince: 2_000, lastError: 'connection refused' },
      });
    },
  );

  it.each([{ traced: ['CONNECTING', 'READY'] }, { traced: ['CONNECTING', 'READY', 'IDLE'] }] as const)(
    'has none of them once it has been READY: $traced',
    ({ traced }) => {
      const now = tracker()
        .update(reportOf({ 3: subchannel(traced) }), 10_000)
        .get('subchannel 3');
      expect(now?.failingSince).toBeUndefined();
      expect(now?.lastError).toBeUndefined();
    },
  );

  it('has none of those of a subchannel that is still there', () => {
    const failing = subchannel(['CONNECTING', 'TRANSIENT_FAILURE'], 'connection refused');
    const now = tracker().update(reportOf({ 2: failing, 3: subchannel(['CONNECTING']) }), 10_000);
    expect(now.get('subchannel 3')?.failingSince).toBeUndefined();
  });
});

describe('a socket on which a server listens', () => {
  const on = (port: number): SocketMessage => ({
    local: { tcpipAddress: { ipAddress: new Uint8Array([10, 0, 0, 1]), port } },
  });
  const connectionsOf = (ports: readonly number[], connected?: readonly number[]) => {
    const report: ProcessReport = {
      ...reportOf({}),
      servers: new Map([[1, { listenSocket: ports.map((socketId) => ({ socketId })) }]]),
      connected: new Map(connected && [[1, connected]]),
      sockets: new Map([
        ...ports.map((port) => [port, on(port)] as const),
        ...([11, 12, 13] as const).map((id) => [id, on(id === 11 ? 80 : 81)] as const),
      ]),
    };
    const now = new ConnectionTracker().update(report, 1_000);
    return ports.map((port) => now.get(`listener ${port}`)?.figures?.openConnections);
  };

  it.each([
    ['of a server with one socket', [80], [11, 12], [2]],
    ['of a server with several, by their ports', [80, 81], [11, 12, 13], [1, 2]],
    ['of a server that nobody is connected to', [80], [], [0]],
    ['that are not reported', [80], undefined, [undefined]],
  ])('counts the connections %s', (_, ports, connected, counts) => {
    expect(connectionsOf(ports, connected)).toEqual(counts);
  });
});

describe('the subchannel of an endpoint that outlier detection of gRPC-Go ejects', () => {
  const event = (seconds: number, text: string) => ({
    description: `Subchannel ${text}: [{Addr: "10.0.0.1:80", ServerName: "", }]`,
    timestamp: { seconds },
  });
  const reported = (
    events: readonly object[],
    createdAt: number,
    of = subchannel(['CONNECTING', 'READY']),
  ) => {
    const report = reportOf({
      2: { data: { ...of.data, trace: { ...of.data?.trace, creationTimestamp: { seconds: createdAt } } } },
    });
    const [channel] = report.channels.values();
    return {
      ...report,
      channels: new Map([[1, { ...channel, data: { ...channel?.data, trace: { events } } }]]),
    };
  };
  const ejected = { state: 'EJECTED', since: 10_000, failingSince: 10_000 };

  it('is EJECTED from the trace event of its channel until that of the end, though later events displace the first', () => {
    const tracker = new ConnectionTracker();
    const stateAfter = (events: readonly object[], at: number) =>
      tracker.update(reported(events, 1), at).get('subchannel 2');
    expect(stateAfter([event(10, 'ejected')], 11_000)).toMatchObject(ejected);
    expect(stateAfter([], 12_000)).toMatchObject(ejected);
    expect(stateAfter([event(10, 'ejected'), event(13, 'unejected')], 14_000)).toMatchObject({
      state: 'READY',
    });
    expect(stateAfter([event(10, 'ejected'), event(13, 'unejected')], 14_000)?.failingSince).toBeUndefined();
  });

  it.each([
    ['was created after the event', reported([event(10, 'ejected')], 11), 'READY'],
    [
      'has lost its connection',
      reported([event(10, 'ejected')], 1, subchannel(['READY', 'TRANSIENT_FAILURE'])),
      'TRANSIENT_FAILURE',
    ],
  ])('is not EJECTED if it %s', (_, report, state) => {
    expect(new ConnectionTracker().update(report, 20_000).get('subchannel 2')?.state).toBe(state);
  });
});

describe('the calls per second of a subchannel', () => {
  const read = (callsStarted: number): ChannelMessage => ({
    ...{ data: { target: address, callsStarted }, socketRef: [{ socketId: 3 }] },
  });
  /** The socket is read at each poll. */
  const rateOf = (tracker: ConnectionTracker, message: ChannelMessage, at: number) =>
    tracker.update({ ...reportOf({ 2: message }), sockets: new Map([[3, {}]]) }, at).get('subchannel 2')
      ?.figures?.callsPerSecond;

  it('are those between the polls that requested it, where polls take turns', () => {
    const tracker = new ConnectionTracker();
    const [first, second] = [read(0), read(200)];
    expect(rateOf(tracker, first, 1_000)).toBeNull();
    for (let poll = 2; poll <= 20; poll++) expect(rateOf(tracker, first, poll * 1_000)).toBeNull();
    expect(rateOf(tracker, second, 21_000)).toBe(10);
    expect(rateOf(tracker, second, 22_000)).toBe(10);
    expect(rateOf(tracker, read(200), 41_000)).toBe(0);
  });

  it('are those of the last five seconds, where each poll requests it', () => {
    const tracker = new ConnectionTracker();
    for (let second = 0; second < 10; second++) rateOf(tracker, read(100 * second), second * 1_000);
    expect(rateOf(tracker, read(900), 10_000)).toBe(80);
  });
});
