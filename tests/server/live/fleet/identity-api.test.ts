import { describe, expect, it } from 'vitest';
import type { NodeInfo } from '@/lib/observation/observation';
import { identityQuery } from '@/lib/views/identity/schema';
import { FleetIndex } from '@/server/live/fleet/fleet-index';
import { IdentityApi } from '@/server/live/fleet/identity-api';
import { NodeWatcher } from '@/server/live/fleet/node-watcher';
import { openLiveState } from '@/tests/support/open-live-state';
import { sampleNode, sampleReport, sampleResource } from '../../../support/builders/observation-samples';

function start() {
  const nodes = new NodeWatcher(new Map());
  const live = openLiveState({
    freshnessOf: ({ goneAt }) =>
      goneAt === null
        ? { freshness: 'live', reason: '', lastSeenAt: 1 }
        : { freshness: 'gone', reason: 'the source names it no longer', lastSeenAt: 5_000 },
    onFolded: nodes.observe,
  });
  const emit = (
    id: string,
    sourceId: string,
    hash: string,
    node: Partial<NodeInfo> = {},
    scope = '',
  ): void => {
    const changed = [sampleResource({ hash })];
    const reported = sampleReport({
      clientId: `${id}${scope}`,
      sourceId,
      node: { ...sampleNode(id), ...node },
      changed,
      scope,
    });
    live.observe({ observation: reported, bodies: [] });
  };
  const api = new IdentityApi({ live, fleet: new FleetIndex(live), nodes });
  return { live, emit, api };
}

describe('IdentityApi', () => {
  it('lists node ids that two sources report differently, and those that one answer names twice', async () => {
    const { emit, api } = start();
    emit('alone', 'csds:a:1', 'aa');
    emit('alike', 'csds:a:1', 'aa');
    emit('alike', 'csds:b:1', 'aa');
    emit('twins', 'csds:a:1', 'aa');
    emit('twins', 'csds:b:1', 'bb');
    emit('many', 'csds:a:1', 'aa', {}, '(duplicate 2)');
    const page = await api.find(identityQuery.parse({ kind: 'duplicate' }));
    expect(page.counts).toEqual({ duplicate: 2, changed: 0, vanished: 0 });
    expect(page.items).toMatchObject([
      { nodeId: 'many', text: expect.stringContaining('this is the second of them') },
      {
        nodeId: 'twins',
        sources: ['csds:a:1', 'csds:b:1'],
        text: expect.stringMatching(/^2 sources report it/),
      },
    ]);
    expect((await api.find(identityQuery.parse({ kind: 'duplicate', q: 'twi' }))).total).toBe(1);
  });

  it('lists the fields of a node that differ between two streams, for each source separately', async () => {
    const { emit, api } = start();
    emit('web', 'csds:a:1', 'aa', { metadata: { version: 'v1', pod: 'x' } });
    emit('web', 'csds:b:1', 'aa', { metadata: {} });
    expect((await api.find(identityQuery.parse({ kind: 'changed' }))).total).toBe(0);
    emit('web', 'csds:a:1', 'aa', { metadata: { version: 'v2', pod: 'x' }, cluster: '' });
    const { items } = await api.find(identityQuery.parse({ kind: 'changed' }));
    expect(items).toMatchObject([
      {
        nodeId: 'web',
        sources: ['csds:a:1'],
        text: 'cluster was shop, is not reported any longer; meta.version was v1, is v2',
      },
    ]);
    emit('web', 'csds:a:1', 'aa', { metadata: { version: 'v1', pod: 'x' }, cluster: '' });
    expect((await api.find(identityQuery.parse({ kind: 'changed' }))).items).toMatchObject([
      { text: 'meta.version was v2, is v1 (2 times so far, this is the newest)' },
    ]);
  });

  it('lists clients that are gone, with the reason', async () => {
    const { live, emit, api } = start();
    emit('web', 'csds:a:1', 'aa');
    live.observe({
      observation: {
        ...{ kind: 'client-gone', at: 9_000, vantage: 'csds', sourceId: 'csds:a:1', clientId: 'web' },
        ...{ side: 'client', reason: 'it does' },
      },
      bodies: [],
    });
    expect((await api.find(identityQuery.parse({ kind: 'vanished' }))).items).toMatchObject([
      { nodeId: 'web', text: 'the source names it no longer', at: 5_000 },
    ]);
  });
});
