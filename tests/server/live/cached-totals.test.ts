import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ResourceState } from '@/lib/observation/resource-state';
import { buildClientSummary } from '@/lib/views/client/build-client-summary';
import { CDS, EDS } from '@/lib/xds/resource-type';
import { openLiveState } from '@/tests/support/open-live-state';
import { sampleReport, sampleResource } from '../../support/builders/observation-samples';
import '../../support/seeded-properties';

const freshnessOf = () => ({ freshness: 'live', reason: '', lastSeenAt: 1 }) as const;
const keys = fc.record({
  typeUrl: fc.constantFrom(CDS.typeUrl, EDS.typeUrl),
  // A row without a name and a body is what a control plane reports of the whole type.
  name: fc.constantFrom('a', 'b', 'c', ''),
});
const details = { versionInfo: '2', lastUpdateAttempt: null, failedHash: null };
const rows: fc.Arbitrary<ResourceState> = fc
  .record({
    key: keys,
    versionInfo: fc.constantFrom('', '1', '2', '10', '9'),
    clientStatus: fc.constantFrom('ACKED', 'NACKED', 'REQUESTED', 'DOES_NOT_EXIST'),
    configStatus: fc.constantFrom('UNKNOWN', 'SYNCED', 'STALE'),
    hash: fc.constantFrom('aa', null),
    sizeBytes: fc.option(fc.nat(100)),
    changedAt: fc.nat(5),
    apiVersion: fc.constantFrom('v2', undefined),
    stage: fc.constantFrom('active', 'warming', undefined),
  })
  .map(({ key, ...row }) =>
    sampleResource({
      ...key,
      ...row,
      errorState: row.clientStatus === 'NACKED' ? { ...details, details: `${key.name} is bad` } : null,
    }),
  );
const sources = [
  { side: 'client', sourceId: 'one' },
  { side: 'client', sourceId: 'two', vantage: 'envoy-admin' },
  { side: 'client', sourceId: 'three', vantage: 'tap' },
  { side: 'control-plane', sourceId: 'plane' },
] as const;
/** Enough rows that totals are kept between changes. */
const manyRows = Array.from({ length: 250 }, (_, index) => sampleResource({ name: `many-${index}` }));
const changes = fc.record({
  from: fc.constantFrom(...sources),
  changed: fc.array(rows, { maxLength: 5 }),
  removed: fc.array(keys, { maxLength: 2 }),
});

describe('the totals that are kept', () => {
  test('are those of all rows, whatever changes came', () => {
    fc.assert(
      fc.property(fc.array(changes, { minLength: 1, maxLength: 8 }), fc.boolean(), (drawn, isLarge) => {
        const first = sources.map((from) => ({ from, changed: manyRows, removed: [] }));
        const history = isLarge ? [...first, ...drawn] : drawn;
        const live = openLiveState({ freshnessOf });
        for (const [at, { from, ...each }] of history.entries()) {
          live.observe({ observation: sampleReport({ ...each, ...from, at }), bodies: [] });
          for (const client of live.world.values()) {
            expect(live.summaryOf(client)).toEqual(buildClientSummary(client, freshnessOf));
          }
        }
      }),
    );
  });

  test('begin anew with a client that begins with nothing cached', () => {
    const live = openLiveState({ freshnessOf });
    const report = sampleReport({ changed: [sampleResource({ name: 'a' })] });
    live.observe({ observation: report, bodies: [] });
    const [client] = live.world.values();
    if (client === undefined) throw new Error('no client');
    expect(live.summaryOf(client).resources).toBe(1);
    const { at, vantage, sourceId, clientId, node, scope } = report;
    const opened = { at, vantage, sourceId, clientId, node, scope, streamId: '1', server: 's', method: 'm' };
    live.observe({ observation: { kind: 'stream-opened', ...opened, cacheEmpty: true }, bodies: [] });
    expect(live.summaryOf(client).resources).toBe(0);
  });
});
