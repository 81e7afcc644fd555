import { describe, expect, it } from 'vitest';
import type { Connection } from '@/lib/observation/connection';
import { joinListeners, servesAnyAddress } from '@/lib/views/connections/join-listeners';
import type { State } from '@/lib/xds/status';
import { sampleConnection } from '@/tests/support/builders/observation-samples';

const socket = (target: string, more: Partial<Connection> = {}): Connection => {
  return { ...sampleConnection, id: `listener ${target}`, kind: 'listener', target, channels: [], ...more };
};
const listener = (address: string, state: State = 'ACKED') => {
  return { name: 'grpc/server?xds.resource.listening_address=0.0.0.0:4400', address, state };
};

const figuresWith = (openConnections: number): Connection['figures'] => ({
  ...{ callsStarted: 0, callsSucceeded: 0, callsFailed: 0, lastCallStartedAt: null },
  ...{ openStreams: null, callsPerSecond: null, openConnections },
});

describe('a listener of the config', () => {
  it.each([
    ['its address', '0.0.0.0:4400', '0.0.0.0:4400', 'listening', undefined],
    ['all addresses of IPv6', '0.0.0.0:4400', '[::]:4400', 'listening', undefined],
    ['the address of its name alone', '10.0.0.1:4400', '0.0.0.0:4400', 'not-serving', 'other-address'],
    ['another port', '0.0.0.0:4400', '0.0.0.0:4401', 'not-serving', 'no-socket'],
  ])('beside a socket on %s', (_, address, listening, status, notServingBecause) => {
    const [row, ...others] = joinListeners([listener(address)], [socket(listening)]);
    expect(row).toMatchObject({ address, status, notServingBecause, state: 'ACKED' });
    expect(others.map((each) => each.address)).toEqual(notServingBecause === 'no-socket' ? [listening] : []);
  });

  it.each([
    ['DOES_NOT_EXIST', 'not-serving', 'no-config'],
    ['NACKED', 'not-serving', 'no-config'],
    ['UNKNOWN', 'listening', undefined],
  ] as const)('without a payload, in the state %s, is %s', (state, status, notServingBecause) => {
    const rows = joinListeners([listener('', state)], [socket('0.0.0.0:4400')]);
    expect(rows).toMatchObject([{ status, notServingBecause }]);
  });

  it.each([
    [0, 'listening'],
    [2, 'serving'],
  ])('to which %i clients are connected is %s', (openConnections, status) => {
    const own = socket('0.0.0.0:4400', { figures: figuresWith(openConnections) });
    expect(joinListeners([listener('0.0.0.0:4400')], [own])).toMatchObject([
      { status, figures: { openConnections } },
    ]);
    expect(joinListeners([], [own])).toMatchObject([{ status }]);
  });

  it.each([
    ['gRPC Java', '1.72.0', 'listening', undefined],
    ['gRPC Java', '1.73.0', 'not-serving', 'other-address'],
    ['gRPC Go', '1.64.1', 'not-serving', 'other-address'],
    ['gRPC Java', '', 'not-serving', 'other-address'],
  ])(
    'of another address, with %s %s, is %s',
    (userAgentName, userAgentVersion, status, notServingBecause) => {
      const servesAny = servesAnyAddress({ userAgentName, userAgentVersion });
      const rows = joinListeners([listener('10.0.0.1:4400')], [socket('0.0.0.0:4400')], servesAny);
      expect(rows).toMatchObject([{ status, notServingBecause }]);
    },
  );

  it('does not serve without a socket, and nothing is known of it without a report', () => {
    expect(joinListeners([listener('0.0.0.0:1')], [])).toMatchObject([
      { status: 'not-serving', since: undefined },
    ]);
    expect(joinListeners([listener('0.0.0.0:1')], undefined)).toMatchObject([{ status: 'not-reported' }]);
  });

  it('of Envoy is found by its name, and those that do not serve come first', () => {
    const listeners = ['a', 'b'].map((name) => ({ name, address: '0.0.0.0:80', state: 'ACTIVE' }) as const);
    const rows = joinListeners(listeners, [socket('0.0.0.0:80', { name: 'a' })]);
    expect(rows.map(({ name, status }) => [name, status])).toEqual([
      ['b', 'not-serving'],
      ['a', 'listening'],
    ]);
  });
});
