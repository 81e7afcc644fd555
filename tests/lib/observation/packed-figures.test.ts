import { expect, it } from 'vitest';
import type { Connection, ConnectionFigures } from '@/lib/observation/connection';
import { packFigures, unpackFigures } from '@/lib/observation/packed-figures';
import { sampleConnection } from '@/tests/support/builders/observation-samples';

const calls = { callsStarted: 3, callsSucceeded: 2, callsFailed: 1, lastCallStartedAt: 1_767_225_600_123 };

it('packs every figure of a connection, and what is not reported', () => {
  const figures: readonly ConnectionFigures[] = [
    { ...calls, openStreams: 0, callsPerSecond: 0.25 },
    { ...calls, lastCallStartedAt: null, openStreams: null, callsPerSecond: null, openConnections: 0 },
    {
      ...{ ...calls, openStreams: 4, callsPerSecond: null },
      ofHost: { openConnections: 5, connections: 6, failedConnections: 7, timeouts: null, successRate: 99.5 },
    },
  ];
  const connections = figures.map((each, index): Connection => {
    return { ...sampleConnection, id: `host "a"\n${index}`, figures: each };
  });
  const { figures: _, ...without } = { ...sampleConnection, id: 'without' };
  const unpacked = unpackFigures(packFigures([...connections, without]));
  expect(connections.map(({ id }) => unpacked.get(id))).toEqual(figures);
  expect(unpacked.get(without.id)).toBeUndefined();
});
