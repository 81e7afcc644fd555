import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runSteps } from '@/lib/cooperative/steps';
import type { ResourceRow } from '@/lib/observation/resource-row';
import { buildResourceRows } from '@/lib/views/client/build-resource-rows';
import { CDS, EDS } from '@/lib/xds/resource-type';
import { ClientRows } from '@/server/answers/subjects/client-rows';
import type { LiveState } from '@/server/live/live-state';
import { openLiveState } from '@/tests/support/open-live-state';
import { sampleReport, sampleResource } from '../../../support/builders/observation-samples';

const freshness = { freshness: 'live', reason: '', lastSeenAt: 1 } as const;

function startLive(): LiveState {
  return openLiveState({ freshnessOf: () => freshness });
}

const rowsOf = async (rows: ClientRows): Promise<readonly ResourceRow[]> =>
  (await rows.find('c1'))?.rows ?? [];

const row = fc.record({
  typeUrl: fc.constantFrom(CDS.typeUrl, EDS.typeUrl, 'acme.Other'),
  name: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
});
const reports = fc.array(
  fc.record({
    changed: fc.array(fc.tuple(row, fc.constantFrom('1', '2'))),
    removed: fc.array(row),
    side: fc.constantFrom('client', 'client', 'control-plane'),
    source: fc.constantFrom('csds', 'envoy-admin', 'tap'),
    isAsked: fc.boolean(),
  } as const),
);

describe('ClientRows', () => {
  it('has the rows that buildResourceRows makes of all, whatever changed, in one array until the next change', async () => {
    await fc.assert(
      fc.asyncProperty(reports, async (reported) => {
        const live = startLive();
        const rows = new ClientRows({ live, freshnessOf: () => freshness });
        for (const [index, { changed, removed, side, source, isAsked }] of reported.entries()) {
          const observation = sampleReport({
            at: index,
            side,
            sourceId: `${side} ${source}`,
            vantage: source,
            changed: changed.map(([key, versionInfo]) => sampleResource({ ...key, versionInfo })),
            removed,
          });
          live.observe({ observation, bodies: [] });
          if (!isAsked) continue;
          const client = live.world.get('c1');
          if (client === undefined) throw new Error('the client was reported');
          const after = await rowsOf(rows);
          expect(after).toEqual(runSteps(buildResourceRows(client, () => freshness)));
          expect(await rowsOf(rows)).toBe(after);
        }
      }),
    );
  });

  it('makes the rows of a client once that has not changed since the start', async () => {
    const before = startLive();
    before.observe({ observation: sampleReport({ changed: [sampleResource({ name: 'a' })] }), bodies: [] });
    const live = openLiveState(
      { freshnessOf: () => freshness },
      { world: before.world, newestSeq: before.seq },
    );
    const rows = new ClientRows({ live, freshnessOf: () => freshness });
    const first = await rowsOf(rows);
    expect(first).toHaveLength(1);
    expect(await rowsOf(rows)).toBe(first);
  });

  it('makes many rows in slices, and those of a later question have what changed in between', async () => {
    const live = startLive();
    const rows = new ClientRows({ live, freshnessOf: () => freshness });
    const names = Array.from({ length: 40_000 }, (_, index) => `c${index}`);
    live.observe({
      observation: sampleReport({ changed: names.map((name) => sampleResource({ name })) }),
      bodies: [],
    });
    const coming = rows.find('c1');
    let turns = 0;
    const step = (): void => {
      turns += 1;
      const changed = [sampleResource({ name: `c${turns}`, versionInfo: 'new' })];
      const removed = [sampleResource({ name: `c${names.length - turns}` })];
      live.observe({ observation: sampleReport({ changed, removed }), bodies: [] });
      if (turns < 3) setImmediate(step);
    };
    setImmediate(step);
    const revision = live.revisionOf('c1');
    expect((await coming)?.revision).toBe(revision);
    expect(turns).toBeGreaterThan(0);
    const client = live.world.get('c1');
    if (client === undefined) throw new Error('the client was reported');
    expect(await rowsOf(rows)).toEqual(runSteps(buildResourceRows(client, () => freshness)));
  });

  it('knows no client that no source reported', async () => {
    const live = startLive();
    expect(await new ClientRows({ live, freshnessOf: () => freshness }).find('c9')).toBeUndefined();
  });
});
