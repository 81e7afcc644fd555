import { describe, expect, it } from 'vitest';
import type { Connection } from '@/lib/observation/connection';
import { KnownServers, markManagementServer } from '@/server/collect/channelz/management-servers';

const noRoute = 'connect: no route to host';
const channel = (id: string, target: string): Connection => ({
  ...{ id, kind: 'channel', target, channels: [], state: 'TRANSIENT_FAILURE', since: 1, failingSince: 1 },
});
const xds = channel('channel 1', 'xds:///shop');
const server = channel('channel 2', 'dns:///xds:18000');
const subchannel: Connection = {
  ...{ id: 'subchannel 3', kind: 'subchannel', target: '10.0.0.1:18000', channels: ['channel 2'] },
  ...{ state: 'TRANSIENT_FAILURE', since: 1, failingSince: 1, lastError: noRoute },
};

type Mark = Pick<Connection, 'isManagementServer' | 'mayBeManagementServer' | 'lastError'>;

function markKnowing(known: readonly string[], ...connections: Connection[]): Record<string, Mark> {
  const servers = new KnownServers();
  servers.setNamed(known);
  const all = markManagementServer(new Map(connections.map((each) => [each.id, each])), (address) =>
    servers.has(address, false),
  );
  return Object.fromEntries(
    [...all].map(([id, { isManagementServer, mayBeManagementServer, lastError }]) => [
      id,
      { isManagementServer, mayBeManagementServer, lastError },
    ]),
  );
}
const mark = (...connections: Connection[]) => markKnowing([], ...connections);

it('marks the only channel to another target than xds:, with the error of its subchannel', () => {
  expect(mark(xds, server, subchannel)).toMatchObject({
    'channel 1': { isManagementServer: undefined },
    'channel 2': { isManagementServer: true, lastError: noRoute },
  });
});

it('keeps the error that the channel itself reports, and takes none once it is connected', () => {
  expect(mark({ ...server, lastError: 'own' }, subchannel)['channel 2']?.lastError).toBe('own');
  const { failingSince: _, ...ready } = { ...server, state: 'READY' as const };
  expect(mark(ready, subchannel)['channel 2']).toEqual({ isManagementServer: true, lastError: undefined });
});

describe('of several channels to other targets', () => {
  const collector = channel('channel 4', 'dns:///collector:4317');

  it.each([
    ['its target', ['xds:18000']],
    ['the address of its subchannel', ['10.0.0.1:18000']],
  ])('marks the one that leads to a known management server, by %s', (_title, known) => {
    const { 'channel 2': marked, 'channel 4': other } = markKnowing(
      known,
      xds,
      server,
      subchannel,
      collector,
    );
    expect(marked).toMatchObject({ isManagementServer: true, lastError: noRoute });
    expect(other).toMatchObject({ isManagementServer: undefined, mayBeManagementServer: undefined });
  });

  it('marks each that fails as one that may, if none is known', () => {
    const { failingSince: _, ...ready } = { ...collector, state: 'READY' as const };
    const marked = mark(xds, server, subchannel, ready);
    expect(marked['channel 2']).toMatchObject({ mayBeManagementServer: true, lastError: noRoute });
    expect(marked['channel 4']).toMatchObject({ mayBeManagementServer: undefined });
    expect(Object.values(marked).some(({ isManagementServer }) => isManagementServer)).toBe(false);
  });
});

describe('addresses of known management servers', () => {
  it('are compared with the targets of channels, whatever their scheme', () => {
    const servers = new KnownServers();
    servers.learn('dns:///xds:18000', false);
    expect([servers.has('xds:18000', false), servers.has('xds:18001', false)]).toEqual([true, false]);
  });

  it('of the loopback interface concern processes on this machine alone', () => {
    const servers = new KnownServers();
    servers.setNamed(['127.0.0.1:18000']);
    servers.learn('localhost:18001', false);
    expect(servers.has('dns:///localhost:18000', true)).toBe(true);
    expect(servers.has('127.0.0.1:18000', false)).toBe(false);
    expect(servers.has('127.0.0.1:18001', true)).toBe(false);
  });
});
