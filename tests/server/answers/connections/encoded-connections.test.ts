import { expect, it } from 'vitest';
import { DecodedConnections, encodeConnections } from '@/server/answers/connections/encoded-connections';
import { sampleConnection } from '@/tests/support/builders/observation-samples';

it('encodes equal arrays once, and the other end decodes them once', async () => {
  const connections = ['ü', 'b'].map((target) => ({ ...sampleConnection, target }));
  const encoded = await encodeConnections(connections);
  expect(await encodeConnections(connections)).toBe(encoded);
  const decoded = new DecodedConnections();
  const first = decoded.decode(structuredClone(encoded));
  expect(first).toEqual(connections);
  expect(decoded.decode(structuredClone(encoded))).toBe(first);
  expect(decoded.decode(await encodeConnections([]))).toEqual([]);
});
