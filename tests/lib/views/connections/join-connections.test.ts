import { describe, expect, it } from 'vitest';
import type { Connection } from '@/lib/observation/connection';
import { joinConnections } from '@/lib/views/connections/join-connections';
import type { ConfigEndpoint } from '@/lib/views/connections/list-config-endpoints';
import { sampleConnection } from '@/tests/support/builders/observation-samples';

function endpoint(address: string, overrides: Partial<ConfigEndpoint> = {}): ConfigEndpoint {
  return {
    ...{ cluster: 'cart', priority: 0, locality: { region: 'eu', zone: 'eu-1', subZone: '' }, address },
    ...{
      hostname: '',
      addresses: [address],
      health: 'HEALTHY',
      excludedBecause: '',
      weight: undefined,
      isDns: false,
    },
    ...overrides,
  };
}

function subchannel(target: string, overrides: Partial<Connection> = {}): Connection {
  return { ...sampleConnection, id: `subchannel ${target}`, target, ...overrides };
}

const failing = { state: 'TRANSIENT_FAILURE', failingSince: 1_000, lastError: 'connection refused' } as const;

describe('an endpoint beside its subchannel', () => {
  it.each([
    { health: 'HEALTHY', found: {}, disagreement: undefined },
    { health: 'UNKNOWN', found: {}, disagreement: undefined },
    { health: 'HEALTHY', found: failing, disagreement: 'failing' },
    { health: 'UNKNOWN', found: failing, disagreement: 'failing' },
    { health: 'HEALTHY', found: { ...failing, state: 'IDLE' }, disagreement: 'failing' },
    { health: 'HEALTHY', found: { state: 'IDLE' }, disagreement: undefined },
    { health: 'UNHEALTHY', found: failing, disagreement: undefined },
    { health: 'UNHEALTHY', found: {}, disagreement: 'unhealthy' },
    { health: 'TIMEOUT', found: {}, disagreement: 'unhealthy' },
    { health: 'DRAINING', found: {}, disagreement: undefined },
  ] as const)('$health and $found.state: $disagreement', ({ health, found, disagreement }) => {
    const [row] = joinConnections([endpoint('10.0.0.1:80', { health })], [subchannel('10.0.0.1:80', found)]);
    expect(row).toMatchObject({ disagreement, absence: undefined });
  });

  it('has no connection for a reason: not reported, priority not tried, not usable, none, a DNS name', () => {
    const endpoints = [
      endpoint('10.0.0.1:80'),
      endpoint('10.0.0.2:80'),
      endpoint('10.0.0.3:80', { health: 'UNHEALTHY' }),
      endpoint('10.0.0.4:80', { priority: 1 }),
      endpoint('cart.example:80', { cluster: 'dns', isDns: true }),
    ];
    const absences = (connections: readonly Connection[] | undefined) =>
      joinConnections(endpoints, connections).map(({ absence }) => absence);
    expect(absences([subchannel('10.0.0.1:80')])).toEqual([
      ...[undefined, 'none', 'not-usable', 'priority-not-tried', 'dns'],
    ]);
    expect(absences(undefined)).toEqual(new Array(5).fill('not-reported'));
  });

  it('is ambiguous if two clusters have its address, unless the client reports the cluster', () => {
    const endpoints = [endpoint('10.0.0.1:80'), endpoint('10.0.0.1:80', { cluster: 'cart-canary' })];
    const both = [
      subchannel('10.0.0.1:80', { id: 'subchannel 1' }),
      subchannel('10.0.0.1:80', { ...failing, id: 'subchannel 2' }),
    ];
    const shared = joinConnections(endpoints, both);
    expect(shared.map(({ sharedWith }) => sharedWith)).toEqual([['cart-canary'], ['cart']]);
    // It is not known which of them fails.
    expect(shared.map(({ connection }) => connection?.state)).toEqual(new Array(2).fill('TRANSIENT_FAILURE'));
    const [first, second] = both;
    if (first === undefined || second === undefined) throw new Error('expected two subchannels');
    const assigned = joinConnections(endpoints, [
      { ...first, cluster: 'cart' },
      { ...second, cluster: 'cart-canary' },
    ]);
    expect(assigned.map(({ connection, sharedWith }) => [connection?.state, sharedWith])).toEqual([
      ['READY', []],
      ['TRANSIENT_FAILURE', []],
    ]);
  });

  it('lists a subchannel whose address is in no cluster as the last row', () => {
    const rows = joinConnections([endpoint('10.0.0.1:80')], [subchannel('10.0.0.9:80')]);
    expect(rows.map(({ address, priority, health }) => [address, priority, health])).toEqual([
      ['10.0.0.1:80', 0, 'HEALTHY'],
      ['10.0.0.9:80', undefined, undefined],
    ]);
  });

  it('has an id of its own if one locality has an address twice', () => {
    const ids = joinConnections([endpoint('10.0.0.1:80'), endpoint('10.0.0.1:80')], undefined).map(
      ({ id }) => id,
    );
    expect(new Set(ids).size).toBe(2);
  });
});
