import { describe, expect, it } from 'vitest';
import { readTrace } from '@/server/collect/channelz/read-trace';

const event = (seconds: number, description: string) => ({ description, timestamp: { seconds, nanos: 5e6 } });

describe('the trace of a subchannel', () => {
  it.each([
    {
      library: 'gRPC-Go',
      descriptions: [
        'Subchannel created',
        'Subchannel Connectivity change to CONNECTING',
        'Subchannel picks a new address "127.0.0.1:7311" to connect',
        'Subchannel Connectivity change to TRANSIENT_FAILURE, last error: connection error: desc = "transport: Error while dialing: dial tcp 127.0.0.1:7311: connect: connection refused"',
      ],
      lastError:
        'connection error: desc = "transport: Error while dialing: dial tcp 127.0.0.1:7311: connect: connection refused"',
    },
    {
      library: 'C-core',
      descriptions: [
        'Subchannel created',
        'Subchannel state changed to CONNECTING',
        'Subchannel address picked',
        'Subchannel state changed to TRANSIENT_FAILURE: UNKNOWN: ipv4:127.0.0.1:7311: Failed to connect to remote host: Connection reset by peer\n=== Source Location Trace: ===\nsubchannel.cc:700\n',
      ],
      lastError: 'UNKNOWN: ipv4:127.0.0.1:7311: Failed to connect to remote host: Connection reset by peer',
    },
    {
      library: 'grpc-js',
      descriptions: [
        'Subchannel created',
        'Connectivity state change to CONNECTING',
        'Created a socket',
        'Connectivity state change to TRANSIENT_FAILURE',
      ],
      lastError: '',
    },
  ])('of $library has the state, when it began, and the error', ({ descriptions, lastError }) => {
    const events = descriptions.map((text, index) => event(100 + index, text));
    expect(readTrace({ events })).toEqual({
      ...{
        state: 'TRANSIENT_FAILURE',
        since: 103_005,
        failingSince: 103_005,
        hasBeenReady: false,
        lastError,
      },
    });
  });

  it('fails since its first failed attempt after it was last READY', () => {
    const states = ['CONNECTING', 'TRANSIENT_FAILURE', 'CONNECTING', 'READY', 'IDLE', 'CONNECTING'];
    const events = states.map((state, index) => event(index + 1, `Connectivity state change to ${state}`));
    expect(readTrace({ events })).toMatchObject({
      ...{ state: 'CONNECTING', since: 6_005, failingSince: null, hasBeenReady: true },
    });
    for (const [at, state] of [
      [7, 'TRANSIENT_FAILURE'],
      [9, 'CONNECTING'],
      [11, 'TRANSIENT_FAILURE'],
    ] as const)
      events.push(event(at, `Connectivity state change to ${state}`));
    expect(readTrace({ events })).toMatchObject({ since: 11_005, failingSince: 7_005 });
  });

  it('that has no events reports nothing, as that of gRPC-Java', () => {
    const nothing = { state: null, since: null, failingSince: null, hasBeenReady: false, lastError: '' };
    expect(readTrace(undefined)).toEqual(nothing);
    expect(readTrace({ events: [event(1, 'Channel switches to new LB policy "READY"')] })).toEqual(nothing);
  });
});
