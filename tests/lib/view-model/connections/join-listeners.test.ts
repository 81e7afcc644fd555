import { describe, expect, it } from 'vitest';
import type { Connection } from '@/lib/observation/connection';
import { joinListeners } from '@/lib/view-model/connections/join-listeners';
import { sampleConnection } from '@/tests/support/observation-samples';

const socket = (target: string, more: Partial<Connection> = {}): Connection => {
  return { ...sampleConnection, id: `listener ${target}`, kind: 'listener', target, channels: [], ...more };
};
const listener = (address: string, state: 'ACKED' | 'DOES_NOT_EXIST' = 'ACKED') => {
  return { name: 'grpc/server?xds.resource.listening_address=0.0.0.0:4400', address, state };
};

describe('a listener of the config', () => {
  it.each([
    ['its address', '10.0.0.1:4400', '10.0.0.1:4400', 'listening'],
    ['all addresses of IPv6', '0.0.0.0:4400', '[::]:4400', 'listening'],
    ['another host', '10.0.0.1:4400', '0.0.0.0:4400', 'not-serving'],
    ['another port', '0.0.0.0:4401', '0.0.0.0:4400', 'not-serving'],
    ['an address, without config', '', '0.0.0.0:4400', 'not-serving'],
  ])('beside a socket on %s', (_, address, listening, status) => {
    const [row, ...others] = joinListeners([listener(address)], [socket(listening)]);
    expect(row).toMatchObject({ address, status, state: 'ACKED' });
    expect(others.map((each) => each.address)).toEqual(status === 'listening' ? [] : [listening]);
  });

  it('does not serve without a socket, and nothing is known of it without a report', () => {
    expect(joinListeners([listener('0.0.0.0:1')], [])).toMatchObject([
      { status: 'not-serving', since: null },
    ]);
    expect(joinListeners([listener('0.0.0.0:1')], null)).toMatchObject([{ status: 'not-reported' }]);
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
