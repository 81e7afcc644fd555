import { expect, it } from 'vitest';
import type { ClientState } from '@/lib/observation/client-state';
import type { DeclaredSource } from '@/lib/observation/observation';
import { SourceDirectory } from '@/lib/observation/source-directory';
import { sourceKindFacts } from '@/lib/observation/source-kinds';
import type { ProbeTransport } from '@/lib/xds/probe-choices';
import { findRemovedProbes, type ReportingSources } from '@/server/live/propagation/past-inputs';
import { sampleNode } from '../../../../support/builders/observation-samples';

function probe(transport: ProbeTransport, target = 'mesh:1'): DeclaredSource {
  return { kind: 'ads', target, server: target, transport };
}

/** Each source with a client of its own, heard from `from` on, ended or last heard at `to`. */
function heard(
  sources: Record<string, { readonly from: number; readonly to: number; readonly declared?: DeclaredSource }>,
): ReportingSources {
  const declaredSources = new SourceDirectory(
    Object.entries(sources).map(([sourceId, { declared = probe('ads') }]) => ({
      ...declared,
      sourceId,
      lastAt: 1,
    })),
  );
  const world = new Map<string, ClientState>();
  for (const [sourceId, { from, to, declared = probe('ads') }] of Object.entries(sources)) {
    const report = {
      ...{
        sourceId,
        vantage: sourceKindFacts(declared.kind).vantage,
        side: 'client' as const,
        resources: new Map(),
      },
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
    sources: declaredSources,
    sourceIds: () => Object.keys(sources),
    clientsOfSource: (sourceId) => [`client of ${sourceId}`],
    removedProbes: new Map(),
  };
}

const none = () => false;

it('findRemovedProbes takes target and variant of a removed probe from its declaration, whatever its id', () => {
  const lasting = { from: 1, to: 9 };
  const sources = {
    'ads:elsewhere:1?transport=delta': { ...lasting, declared: probe('ads') },
    two: { ...lasting, declared: probe('delta-ads') },
    three: { ...lasting, declared: probe('delta', '[::1]:1') },
    'reads files': { ...lasting, declared: probe('file') },
    'ads:mesh:1': { ...lasting, declared: { kind: 'csds', target: 'mesh:1' } as const },
  };
  expect(findRemovedProbes(heard(sources), none, 5)).toEqual([
    { id: 'ads:elsewhere:1?transport=delta', target: 'mesh:1', variant: 'sotw' },
    { id: 'two', target: 'mesh:1', variant: 'delta' },
    { id: 'three', target: '[::1]:1', variant: 'delta' },
  ]);
});

it('findRemovedProbes leaves out current sources, and probes that had ended by then or began later', () => {
  const world = heard({
    'ads:now:1': { from: 1, to: 9 },
    'ads:ended:1': { from: 1, to: 4 },
    'ads:later:1': { from: 6, to: 9 },
    'ads:then:1': { from: 5, to: 5 },
  });
  const found = findRemovedProbes(world, (id) => id === 'ads:now:1', 5);
  expect(found.map(({ id }) => id)).toEqual(['ads:then:1']);
});
