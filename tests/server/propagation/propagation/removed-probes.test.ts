import { expect, it } from 'vitest';
import type { ClientState } from '@/lib/observation/client-state';
import type { Vantage } from '@/lib/observation/observation';
import { findRemovedProbes, type HeardSources } from '@/server/propagation/removed-probes';
import { sampleNode } from '../../../support/observation-samples';

/** Each source with a client of its own, heard from `from` on, ended or last heard at `to`. */
function heard(
  sources: Record<string, { readonly from: number; readonly to: number; readonly vantage?: Vantage }>,
): HeardSources {
  const world = new Map<string, ClientState>();
  for (const [sourceId, { from, to, vantage = 'probe' }] of Object.entries(sources)) {
    const report = {
      ...{ sourceId, vantage, side: 'client' as const, resources: new Map() },
      ...{ firstSeenAt: from, lastChangedAt: from, goneAt: to, goneReason: 'ended' },
    };
    world.set(`client of ${sourceId}`, {
      clientId: `client of ${sourceId}`,
      node: sampleNode(sourceId),
      nodeSourceId: sourceId,
      scope: '',
      reports: new Map([[sourceId, report]]),
      seq: 1,
    });
  }
  return {
    world,
    sourceIds: () => Object.keys(sources),
    clientsOfSource: (sourceId) => [`client of ${sourceId}`],
    removedProbes: new Map(),
  };
}

const none = () => false;

it('findRemovedProbes reads target and variant of a removed probe from its id', () => {
  const lasting = { from: 1, to: 9 };
  const ids = {
    'ads:mesh:1': lasting,
    'ads:mesh:1?transport=delta-ads': lasting,
    'ads:mesh:1?transport=delta&api=v2&mode=observe&node=a%26transport%3Dads': lasting,
    'ads:[::1]:1?api=v2': lasting,
    'ads:files?transport=file': lasting,
    'ads:mesh:1?transport=pigeon': lasting,
    'csds:mesh:1': { ...lasting, vantage: 'csds' as const },
  };
  expect(findRemovedProbes(heard(ids), none, 5)).toEqual([
    { id: 'ads:mesh:1', target: 'mesh:1', variant: 'sotw' },
    { id: 'ads:mesh:1?transport=delta-ads', target: 'mesh:1', variant: 'delta' },
    {
      id: 'ads:mesh:1?transport=delta&api=v2&mode=observe&node=a%26transport%3Dads',
      target: 'mesh:1',
      variant: 'delta',
    },
    { id: 'ads:[::1]:1?api=v2', target: '[::1]:1', variant: 'sotw' },
  ]);
});

it('findRemovedProbes leaves out who is a source still, had ended by then or came later', () => {
  const world = heard({
    'ads:now:1': { from: 1, to: 9 },
    'ads:ended:1': { from: 1, to: 4 },
    'ads:later:1': { from: 6, to: 9 },
    'ads:then:1': { from: 5, to: 5 },
  });
  const found = findRemovedProbes(world, (id) => id === 'ads:now:1', 5);
  expect(found.map(({ id }) => id)).toEqual(['ads:then:1']);
});
