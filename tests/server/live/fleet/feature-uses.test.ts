import { describe, expect, it } from 'vitest';
import type { NodeInfo } from '@/lib/observation/observation';
import { CDS, RDS } from '@/lib/xds/resource-type';
import { encodeBody } from '@/server/codec/encode-body';
import { FeatureUses } from '@/server/live/fleet/feature-uses';
import { FleetIndex } from '@/server/live/fleet/fleet-index';
import { openLiveState } from '@/tests/support/open-live-state';
import { sampleNode, sampleReport, sampleResource } from '../../../support/builders/observation-samples';

const bodies = new Map(
  [
    { hash: 'plain', typeUrl: CDS.typeUrl, json: { name: 'plain' } },
    { hash: 'ejects', typeUrl: CDS.typeUrl, json: { name: 'ejects', outlierDetection: { interval: '2s' } } },
    // Text that only looks like a field.
    { hash: 'text', typeUrl: CDS.typeUrl, json: { name: 'text', altStatName: '"outlierDetection":' } },
    {
      hash: 'retries',
      typeUrl: RDS.typeUrl,
      json: { name: 'r', virtualHosts: [{ name: 'v', domains: ['*'], retryPolicy: { retryOn: '5xx' } }] },
    },
  ].map(({ hash, typeUrl, json }) => [hash, { hash, typeUrl, bytes: encodeBody(typeUrl, json) }]),
);

function start() {
  const live = openLiveState({
    freshnessOf: ({ goneAt }) =>
      goneAt === null
        ? { freshness: 'live', reason: '', lastSeenAt: 1 }
        : { freshness: 'gone', reason: 'the source names it no longer', lastSeenAt: 5_000 },
  });
  const asked: string[][] = [];
  const recorder = {
    async readBodies(hashes: Iterable<string>) {
      const wanted = [...hashes];
      asked.push(wanted);
      return new Map([...bodies].filter(([hash]) => wanted.includes(hash)));
    },
  };
  const emit = (
    id: string,
    agent: Partial<NodeInfo>,
    ...held: readonly [name: string, hash: string][]
  ): void => {
    const changed = held.map(([name, hash]) =>
      sampleResource({ name, hash, typeUrl: bodies.get(hash)?.typeUrl ?? CDS.typeUrl }),
    );
    const node = { ...sampleNode(id), ...agent };
    const reported = sampleReport({ clientId: id, sourceId: 'csds:a:1', node, changed });
    live.observe({ observation: reported, bodies: [] });
  };
  return { emit, asked, uses: new FeatureUses({ live, fleet: new FleetIndex(live), recorder }) };
}

const js = { userAgentName: 'gRPC Node Pure JS', userAgentVersion: '1.14.1' };
const core = { userAgentName: 'gRPC C-core linux', userAgentVersion: 'C-core 58.0.0 Python 1.85.1' };
const envoy = { userAgentName: 'envoy', userAgentVersion: '1.40.0' };

describe('FeatureUses', () => {
  it('counts the gRPC clients of each release, and the resources of theirs that use a feature', async () => {
    const { emit, uses } = start();
    emit('web', js, ['cart', 'ejects'], ['orders', 'plain'], ['r', 'retries']);
    emit('mobile', js, ['cart', 'ejects'], ['search', 'ejects'], ['odd', 'text']);
    emit('batch', core, ['orders', 'plain']);
    emit('edge', envoy, ['cart', 'ejects']);
    expect(await uses.find()).toEqual({
      clients: 3,
      notRead: 0,
      releases: [
        {
          ...{ client: 'core', release: '1.85', clients: 1, uses: [] },
          userAgent: 'gRPC C-core linux C-core 58.0.0 Python 1.85.1',
        },
        {
          ...{ client: 'node', release: '1.14', userAgent: 'gRPC Node Pure JS 1.14.1', clients: 2 },
          uses: [
            {
              ...{
                feature: 'Outlier detection',
                cases: ['outlier_detection'],
                lack: 'does not eject outliers',
              },
              clients: 2,
              resources: 2,
              service: 'CDS',
              names: ['cart', 'search'],
            },
            {
              ...{
                feature: 'Retries',
                cases: ['retry_3_of_4', 'retry_4_of_4'],
                lack: 'does not retry requests',
              },
              ...{ clients: 1, resources: 1, service: 'RDS', names: ['r'] },
            },
          ],
        },
      ],
    });
  });

  it('reads each payload once, and states how many are not stored', async () => {
    const { emit, asked, uses } = start();
    emit('web', js, ['cart', 'ejects'], ['lost', 'no longer stored']);
    expect(await uses.find()).toMatchObject({ clients: 1, notRead: 1 });
    emit('mobile', js, ['cart', 'ejects']);
    expect(await uses.find()).toMatchObject({ clients: 2, notRead: 1 });
    expect(asked).toEqual([['ejects', 'no longer stored'], ['no longer stored']]);
  });
});
