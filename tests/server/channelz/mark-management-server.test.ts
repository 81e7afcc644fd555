import { expect, it } from 'vitest';
import type { Connection } from '@/lib/observation/connection';
import { markManagementServer } from '@/server/channelz/mark-management-server';

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

function mark(
  ...connections: Connection[]
): Record<string, Pick<Connection, 'isManagementServer' | 'lastError'>> {
  const all = markManagementServer(new Map(connections.map((each) => [each.id, each])));
  return Object.fromEntries(
    [...all].map(([id, { isManagementServer, lastError }]) => [id, { isManagementServer, lastError }]),
  );
}

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

it('marks none of several, since channelz does not report which of them leads to the management server', () => {
  const marked = mark(xds, server, channel('channel 4', 'dns:///collector:4317'));
  expect(Object.values(marked).filter(({ isManagementServer }) => isManagementServer)).toEqual([]);
});
