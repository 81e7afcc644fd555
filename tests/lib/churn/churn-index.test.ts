import { describe, expect, it } from 'vitest';
import { chooseBucket } from '@/lib/churn/choose-bucket';
import { ChurnIndex } from '@/lib/churn/churn-index';
import type { Observation } from '@/lib/observation/observation';
import { buildChurn } from '@/lib/views/churn/build-churn';
import { numbered } from '../../support/builders/observation-samples';
import { acked, polled, sent } from '../../support/push-story';

function churnOf(observations: readonly Observation[], until = 10_000) {
  const book = new ChurnIndex({ from: 0, until, bucketMs: 1_000 });
  for (const observation of numbered(observations)) book.addObservation(observation);
  return buildChurn(book);
}

const both = ['a', 'b'];

describe('churn', () => {
  it('adds up bytes by type and time slice within the time range', () => {
    const { types } = churnOf([
      sent({ clientId: 'a', at: 100, version: 'v1', hash: 'aa' }),
      sent({ clientId: 'b', at: 900, version: 'v1', hash: 'aa' }),
      sent({ clientId: 'b', at: 2_100, version: 'v2', hash: 'bb' }),
      sent({ clientId: 'b', at: 10_001, version: 'v3', hash: 'cc' }),
    ]);
    expect(types).toMatchObject([{ service: 'CDS', bytes: 300, responses: 3 }]);
    expect(types[0]?.buckets).toEqual([
      { at: 0, bytes: 200, responses: 2 },
      { at: 2_000, bytes: 100, responses: 1 },
    ]);
  });

  it('counts a change once, whatever the number of reporting clients and sources', () => {
    const { resources, resourceCount } = churnOf([
      ...both.map((clientId) => sent({ clientId, at: 10, version: 'v1', hash: 'aa' })),
      ...both.map((clientId) => sent({ clientId, at: 20, version: 'v2', hash: 'bb' })),
      polled({ clientId: 'p', at: 30, version: 'v2', hash: 'bb' }),
      // A client that receives an old version late.
      sent({ clientId: 'c', at: 40, version: 'v1', hash: 'aa' }),
      sent({ clientId: 'a', at: 50, version: 'v1', hash: 'ee', name: 'still' }),
    ]);
    expect(resources).toMatchObject([{ name: 'cart', changes: 1, contents: 2, returns: 0 }]);
    expect(resourceCount).toBe(1);
  });

  it('reports a resource that returns to an earlier content', () => {
    const versions = ['aa', 'bb', 'aa', 'bb', 'cc'];
    const { resources } = churnOf(
      versions.map((hash, place) => sent({ clientId: 'a', at: 10 * place, version: `v${place}`, hash })),
    );
    expect(resources).toMatchObject([{ changes: 4, contents: 3, returns: 2 }]);
  });

  it('counts responses with a new version and equal content, and versions that changed no client', () => {
    const { unchanged } = churnOf([
      ...both.map((clientId) => sent({ clientId, at: 10, version: 'v1', hash: 'aa' })),
      ...both.map((clientId) => acked({ clientId, at: 11, version: 'v1', hash: 'aa' })),
      // This version changes the content of no client.
      ...both.map((clientId) => sent({ clientId, at: 20, version: 'v2' })),
      // This one changes the content of client a only.
      sent({ clientId: 'a', at: 30, version: 'v3', hash: 'bb' }),
      sent({ clientId: 'b', at: 30, version: 'v3' }),
      // A repeated version is not a new one.
      sent({ clientId: 'b', at: 40, version: 'v3' }),
    ]);
    expect(unchanged).toMatchObject([
      {
        ...{ server: 'cp', responses: 7, unchangedResponses: 3, unchangedBytes: 300, unchangedClients: 2 },
        ...{ versions: 3, emptyVersions: 1, lastVersion: 'v3' },
      },
    ]);
  });

  it('counts the absence of a cluster as a change, since state of the world deletes by absence', () => {
    const first = { ...sent({ clientId: 'a', at: 10, version: 'v1' }), unchangedResources: 2 } as Observation;
    const { unchanged } = churnOf([first, sent({ clientId: 'a', at: 20, version: 'v2' })]);
    expect(unchanged).toEqual([]);
  });
});

describe('chooseBucket', () => {
  it.each([
    [60_000, 1_000],
    [3_600_000, 30_000],
    [86_400_000, 900_000],
    [1e12, 8_333_333_334],
  ])('of %d ms makes slices of %d ms', (spanMs, bucketMs) => {
    expect(chooseBucket(spanMs)).toBe(bucketMs);
  });
});
