import { describe, expect, it } from 'vitest';
import type { ResourceState } from '@/lib/observation/resource-state';
import { streamLagMs } from '@/lib/sync/find-first-mismatch';
import type { Freshness } from '@/lib/views/client/choose-report';
import type { Divergence } from '@/lib/views/propagation/schema';
import type { ProbeSettingsShown } from '@/lib/views/sources/schema';
import type { HashPair } from '@/server/compute/diff/diff-jobs';
import { VariantCheck } from '@/server/live/propagation/variant-check';
import type { ProbeSource } from '@/server/live/propagation/variant-pairs';
import { openLiveState } from '@/tests/support/open-live-state';
import { sampleNode, sampleReport, sampleResource } from '../../../../support/builders/observation-samples';

function probe(id: string, transport: ProbeSettingsShown['transport'], target = 'mesh:1'): ProbeSource {
  const settings: ProbeSettingsShown = {
    transport,
    apiVersion: 'v3',
    mode: 'observe',
    profile: 'core',
    errorModel: 'pre-a88',
    nodeId: id,
    listeners: [],
    resources: {},
    servers: [],
    authorities: [],
  };
  return { id, target, settings };
}

/** Two probes of one server; `alike`: pairs of bodies that mean the same, as "a b". */
function start(alike: readonly string[] = []) {
  let now = 0;
  const fresh = new Map<string, Freshness>();
  const clock = { now: () => now, setTimeout: () => ({ cancel: () => undefined }) };
  const freshnessOf = ({ sourceId }: { sourceId: string }) => {
    return { freshness: fresh.get(sourceId) ?? ('live' as const), reason: '', lastSeenAt: now };
  };
  const live = openLiveState({ clock, freshnessOf });
  const probes = [probe('sotw', 'ads'), probe('delta', 'delta-ads'), probe('other', 'delta', 'elsewhere:1')];
  const reported: string[] = [];
  const check = new VariantCheck({
    ...{ clock, live, freshnessOf },
    listProbes: () => probes,
    differ: {
      outcomes: async () => (pair: HashPair) => {
        const changes = alike.includes(`${pair.left} ${pair.right}`) ? 0 : 1;
        return { totals: { changes, reordered: 0, notation: 0 }, lines: [] };
      },
    },
    publish: ({ name, kind }: Divergence, state) => reported.push(`${state} ${name} ${kind}`),
  });
  const emit = (
    sourceId: string,
    changed: readonly ResourceState[],
    removed: readonly string[] = [],
  ): void => {
    const { typeUrl } = sampleResource();
    live.observe({
      observation: sampleReport({
        ...{ vantage: 'probe', sourceId, clientId: sourceId, node: sampleNode(sourceId), changed },
        removed: removed.map((name) => ({ typeUrl, name })),
      }),
      bodies: [],
    });
  };
  const wait = async (ms: number): Promise<string[]> => {
    await check.check();
    now += ms;
    await check.check();
    return reported.splice(0);
  };
  return { check, emit, wait, fresh, probes, list: () => check.list() };
}

const cluster = (name: string, hash: string) => sampleResource({ name, hash });

describe('VariantCheck', () => {
  it('raises a difference that lasts for some seconds, and resolves it when both agree', async () => {
    const { emit, wait, list } = start();
    emit('sotw', [cluster('cart', 'a'), cluster('shop', 'a')]);
    emit('delta', [cluster('cart', 'b'), cluster('shop', 'a')]);
    expect(await wait(streamLagMs - 1)).toEqual([]);
    expect(list()).toMatchObject({ pairs: [{ state: 'agree', compared: 2 }], total: 0 });
    expect(await wait(1)).toEqual(['raised cart content']);
    expect(list()).toMatchObject({
      pairs: [{ target: 'mesh:1', state: 'diverge', divergences: 1 }],
      items: [
        {
          finding: 'sotw-delta-divergence',
          name: 'cart',
          text: 'What our delta probe received is not what our state-of-the-world probe received',
          sotw: { hash: 'a' },
          delta: { hash: 'b', clientId: 'delta' },
        },
      ],
    });
    expect(await wait(streamLagMs)).toEqual([]);
    emit('delta', [cluster('cart', 'a')]);
    expect(await wait(0)).toEqual(['resolved cart content']);
    expect(list()).toMatchObject({ pairs: [{ state: 'agree' }], items: [] });
  });

  it('raises no divergence for updates on their way, however frequent', async () => {
    const { emit, wait } = start();
    emit('sotw', [cluster('cart', '0')]);
    emit('delta', [cluster('cart', '0')]);
    for (let version = 1; version < 6; version++) {
      emit('sotw', [cluster('cart', `${version}`)]);
      expect(await wait(streamLagMs - 1)).toEqual([]);
      emit('delta', [cluster('cart', `${version}`)]);
      expect(await wait(1)).toEqual([]);
    }
  });

  it('raises a resource that one of the two did not receive', async () => {
    const { emit, wait } = start();
    emit('sotw', [cluster('cart', 'a')]);
    emit('delta', [cluster('shop', 'a')]);
    expect(await wait(streamLagMs)).toEqual(['raised cart missing', 'raised shop extra']);
    emit('delta', [cluster('cart', 'a')], ['shop']);
    expect(await wait(0)).toEqual(['resolved cart missing', 'resolved shop extra']);
  });

  it('raises no difference without a difference of content', async () => {
    const { emit, wait, list } = start(['a b']);
    emit('sotw', [cluster('cart', 'a')]);
    emit('delta', [cluster('cart', 'b')]);
    expect(await wait(streamLagMs)).toEqual([]);
    expect(list().pairs).toMatchObject([{ state: 'agree', divergences: 0 }]);
  });

  it('raises nothing while one of them is not live, and restarts afterwards', async () => {
    const { emit, wait, list, fresh } = start();
    emit('sotw', [cluster('cart', 'a')]);
    expect(await wait(streamLagMs)).toEqual([]);
    expect(list().pairs).toMatchObject([{ state: 'waiting', checkedAt: undefined }]);
    emit('delta', [cluster('cart', 'b')]);
    expect(await wait(streamLagMs)).toEqual(['raised cart content']);
    fresh.set('delta', 'stale');
    expect(await wait(streamLagMs)).toEqual(['resolved cart content']);
    expect(list()).toMatchObject({ pairs: [{ state: 'waiting' }], total: 0 });
    fresh.delete('delta');
    expect(await wait(streamLagMs - 1)).toEqual([]);
    expect(await wait(1)).toEqual(['raised cart content']);
  });

  it('drops a pair when one of its sources is removed', async () => {
    const { emit, wait, list, probes } = start();
    emit('sotw', [cluster('cart', 'a')]);
    emit('delta', [cluster('cart', 'b')]);
    await wait(streamLagMs);
    probes.splice(1, 1);
    expect(await wait(0)).toEqual(['resolved cart content']);
    expect(list()).toEqual({ pairs: [], items: [], total: 0 });
  });
});
