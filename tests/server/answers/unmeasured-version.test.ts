import { describe, expect, it } from 'vitest';
import { check } from '@/lib/views/check/schema';
import { clientFindings, findingsQuery } from '@/lib/views/findings/schema';
import { CDS } from '@/lib/xds/resource-type';
import {
  apiListener,
  edsCluster,
  endpoints,
  type MeshResource,
  routeConfig,
} from '../../support/builders/topology-mesh';
import { startClientStory } from '../../support/client-story';

const edsOf = (name: string): MeshResource => {
  const { body, ...cluster } = edsCluster(name);
  return { ...cluster, body: { ...body, lbPolicy: 'MAGLEV' } };
};
const listener: MeshResource = {
  ...apiListener('shop', { rds: 'r' }),
  body: {
    name: 'shop',
    apiListener: {
      apiListener: {
        '@type':
          'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
        rds: { routeConfigName: 'r', configSource: { ads: {} } },
        httpFilters: [
          {
            name: 'router',
            typedConfig: { '@type': 'type.googleapis.com/envoy.extensions.filters.http.router.v3.Router' },
          },
        ],
      },
    },
  },
};
const resources = [
  listener,
  routeConfig('r', { '': 'a' }),
  edsOf('a'),
  endpoints('a', [{ zone: 'z', endpoints: ['10.0.0.1:1'] }]),
];

async function startShop(userAgentVersion: string, vantage: 'csds' | 'dump' = 'csds') {
  const shop = await startClientStory({}, { userAgentName: 'gRPC Go', userAgentVersion });
  shop.clock.advance(1_000);
  shop.observe(resources, [], vantage);
  return shop;
}

describe('a client of a version that is earlier than every measured one', () => {
  it('gets hints that count nowhere', async () => {
    const shop = await startShop('1.40.0');
    const ask = (only: 'NACK' | 'all') =>
      shop.ask(
        'findings',
        { clientId: 'c' },
        findingsQuery.parse({ only, about: 'profile', typeUrl: CDS.typeUrl }),
      );
    const all = await ask('all');
    expect(clientFindings.parse(all)).toMatchObject({ isHint: true, profile: 'go-1.64' });
    expect(all?.profileReason).toContain('measured: 1.64 to 1.85');
    expect(all?.items).toMatchObject([
      { name: 'a', verdict: 'NO_FAULT_FOUND', findings: [{ ruleId: 'C6' }] },
    ]);
    expect(all?.counts).toMatchObject({ ofProfile: 1, nacked: { 'go-1.64': 0, 'go-1.72': 1 } });
    expect(all?.counts.byRule).toMatchObject([{ ruleId: 'C6', nacked: 0 }]);
    // Issues are made of these.
    expect((await ask('NACK'))?.items).toEqual([]);
    const measured = await startShop('1.64.0');
    const found = await measured.ask(
      'findings',
      { clientId: 'c' },
      findingsQuery.parse({ typeUrl: CDS.typeUrl }),
    );
    expect(found?.isHint).toBeUndefined();
    expect(found?.counts).toMatchObject({ nacked: { 'go-1.64': 1 } });
  });

  it('uses what a document reports, although the earliest measured version would reject it', async () => {
    const status = async (version: string) => {
      const shop = await startShop(version, 'dump');
      const found = await shop.ask('resolved', { clientId: 'c' }, {});
      return found?.clusters.items.map(({ name, status }) => [name, status]);
    };
    expect(await status('1.64.0')).toEqual([['a', 'error']]);
    expect(await status('1.40.0')).toEqual([['a', 'ok']]);
  });

  it('has a column of hints in Check, which counts nobody', async () => {
    const shop = await startShop('1.40.0');
    const { typeUrl, body } = edsOf('a');
    const bytes = Buffer.from(JSON.stringify({ '@type': typeUrl, ...body }));
    const answer = await shop.checks.check({ bytes, client: 'c' });
    expect(check.parse(answer)).toEqual(answer);
    expect(answer.columns).toMatchObject([{ profile: 'go-1.64', isHint: true, clients: 1 }]);
    expect(answer.fleet).toMatchObject({
      clients: 1,
      unidentified: 0,
      wouldReject: 0,
      holdersWouldReject: 0,
    });
    expect(answer.resources).toMatchObject([
      { cells: ['NACK'], wouldReject: 0, holders: { clients: 1, wouldReject: 0 } },
    ]);
    expect(answer.against).toMatchObject({ isHint: true, rejected: [], undecided: [{ name: 'a' }] });
  });
});
