import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { NackIndex } from '@/lib/nacks/nack-index';
import type { ResourceState } from '@/lib/observation/resource-state';
import { searchQuery } from '@/lib/views/search/schema';
import { CDS, EDS, RDS } from '@/lib/xds/resource-type';
import { encodeBody } from '@/server/codec/encode-body';
import { FleetIndex } from '@/server/live/fleet/fleet-index';
import { FleetSearch } from '@/server/live/search/fleet-search';
import type { Body } from '@/server/observe';
import { builtProgram } from '@/server/project-root';
import { Compute } from '@/server/workers/compute';
import { openLiveState } from '@/tests/support/open-live-state';
import {
  numbered,
  sampleNode,
  sampleReport,
  sampleResource,
} from '../../../support/builders/observation-samples';
import { startBodies } from '../../../support/builders/stored-bodies';

function bodyOf(typeUrl: string, json: object): Body {
  const bytes = encodeBody(typeUrl, json);
  return { hash: createHash('sha256').update(bytes).digest('hex'), typeUrl, bytes };
}

const endpoints = bodyOf(EDS.typeUrl, {
  clusterName: 'payment-v1',
  endpoints: [
    {
      lbEndpoints: [
        { endpoint: { address: { socketAddress: { address: '10.1.2.3', portValue: 8080 } } } },
        { endpoint: { address: { socketAddress: { address: '10.1.2.4', portValue: 8080 } } } },
      ],
    },
  ],
});
const routes = bodyOf(RDS.typeUrl, {
  name: 'shop-routes',
  virtualHosts: [{ name: 'v', domains: ['shop.example', '*.shop.example'] }],
});
const edsRow = sampleResource({ typeUrl: EDS.typeUrl, name: 'payment-v1', hash: endpoints.hash });
const routesRow = sampleResource({ typeUrl: RDS.typeUrl, name: 'shop-routes', hash: routes.hash });

async function start(bodies: readonly Body[] = [endpoints, routes], workerProgram?: string) {
  const { source: recorder, close } = await startBodies(bodies);
  onTestFinished(close);
  const freshnessOf = () => ({ freshness: 'live', reason: '', lastSeenAt: 1 }) as const;
  const live = openLiveState({ freshnessOf });
  const report = (
    clientId: string,
    changed: readonly ResourceState[],
    removed: readonly string[] = [],
  ): void =>
    live.observe({
      observation: sampleReport({
        clientId,
        node: sampleNode(clientId),
        changed,
        removed: removed.map((name) => ({ typeUrl: CDS.typeUrl, name })),
      }),
      bodies: [],
    });
  const book = new NackIndex({ idOf: (key) => key });
  const search = new FleetSearch({
    live,
    freshnessOf,
    recorder,
    fleet: new FleetIndex(live),
    nacks: { book },
    ...(workerProgram !== undefined && { compute: new Compute({ program: workerProgram }) }),
  });
  onTestFinished(() => search.close());
  const find = async (q: string) => {
    await search.update();
    return search.find(searchQuery.parse({ q }));
  };
  const names = async (q: string) =>
    (await find(q)).resources.items.map(
      ({ service, name, clients, holders }) => `${service} ${name} ${holders}/${clients}`,
    );
  return { live, report, find, names, book, search };
}

const cluster = (name: string, more: Partial<ResourceState> = {}) => sampleResource({ name, ...more });

it('finds the resources of all clients, the best match first, with their holders and states', async () => {
  const { report, find, names } = await start();
  report('shop-web', [cluster('payment-v1'), cluster('payment-v10'), cluster('cart')]);
  report('shop-mobile', [
    cluster('payment-v1', { clientStatus: 'NACKED', hash: null, versionInfo: '' }),
    cluster('a-payment-v1'),
  ]);
  expect(await names('payment-v1')).toEqual([
    'CDS payment-v1 1/2',
    'CDS a-payment-v1 1/1',
    'CDS payment-v10 1/1',
  ]);
  expect((await find('payment-v1')).resources).toMatchObject({
    items: [
      {
        states: [
          { state: 'NACKED', count: 1 },
          { state: 'ACKED', count: 1 },
        ],
      },
      {},
      {},
    ],
    total: 3,
    isComplete: true,
  });
  expect(await names('PAY v10')).toEqual(['CDS payment-v10 1/1']);
  expect(await names('status=NACKED')).toEqual(['CDS payment-v1 1/2']);
  expect(await names('type=CDS name=cart')).toEqual(['CDS cart 1/1']);
  expect(await names('type=EDS cart')).toEqual([]);
  expect(await names('')).toEqual([]);
});

it('counts probes of xdscope apart', async () => {
  const { live, report, find } = await start();
  report('shop-web', [cluster('cart')]);
  live.observe({
    observation: sampleReport({
      ...{ clientId: 'probe', node: sampleNode('probe'), vantage: 'probe', sourceId: 'p' },
      changed: [cluster('cart'), cluster('other')],
    }),
    bodies: [],
  });
  expect((await find('cart')).resources.items).toMatchObject([
    { clients: 1, holders: 1, probes: 1, states: [{ state: 'ACKED', count: 1 }] },
  ]);
  expect((await find('other')).resources.items).toMatchObject([
    { clients: 0, holders: 0, probes: 1, states: [] },
  ]);
});

it('follows changes, removals and evictions', async () => {
  const { live, report, names } = await start();
  report('shop-web', [cluster('payment-v1'), cluster('cart')]);
  report('shop-mobile', [cluster('payment-v1')]);
  expect(await names('payment')).toEqual(['CDS payment-v1 2/2']);
  report('shop-mobile', [cluster('payment-v2')], ['payment-v1']);
  expect(await names('payment')).toEqual(['CDS payment-v1 1/1', 'CDS payment-v2 1/1']);
  live.forgetClient('shop-mobile');
  expect(await names('payment')).toEqual(['CDS payment-v1 1/1']);
  report('shop-web', [], ['payment-v1', 'cart']);
  expect(await names('payment')).toEqual([]);
  report('shop-mobile', [cluster('payment-v1')]);
  expect(await names('payment')).toEqual(['CDS payment-v1 1/1']);
});

it('finds addresses and domains of payloads, and payloads by hash', async () => {
  const { report, find } = await start();
  report('shop-web', [edsRow, routesRow]);
  expect(await find('10.1.2.3')).toMatchObject({
    endpoints: [{ text: '10.1.2.3:8080', resources: [{ service: 'EDS', name: 'payment-v1', clients: 1 }] }],
    index: { clientsBehind: 0, payloadsWaiting: 0, rowsLeftOut: 0 },
  });
  expect((await find('address~8080')).endpoints.map(({ text }) => text)).toEqual([
    '10.1.2.3:8080',
    '10.1.2.4:8080',
  ]);
  expect((await find('shop.example')).domains.map(({ text }) => text)).toEqual([
    'shop.example',
    '*.shop.example',
  ]);
  const domain = await find('domain=shop.example');
  expect(domain.domains).toMatchObject([{ resources: [{ service: 'RDS', name: 'shop-routes' }] }]);
  expect([domain.resources.total, domain.endpoints]).toEqual([0, []]);
  expect((await find(`hash=${endpoints.hash.slice(0, 12)}`)).contents).toMatchObject([
    { name: 'payment-v1', hash: endpoints.hash },
  ]);
  // Equal in the 32 bits of the index, different afterwards.
  const other = endpoints.hash.at(11) === '0' ? '1' : '0';
  expect((await find(`hash=${endpoints.hash.slice(0, 11)}${other}`)).contents).toEqual([]);
});

it('finds a payload that is written after its client reported it', async () => {
  const { report, find } = await start([]);
  report('shop-web', [edsRow]);
  expect((await find('10.1.2.3')).index.payloadsWaiting).toBe(1);
});

it('finds clients, versions and NACKs', async () => {
  const { report, find, book } = await start();
  report('shop-web', [cluster('cart', { versionInfo: 'release-7' })]);
  report('shop-mobile', [cluster('cart', { versionInfo: 'release-7' })]);
  const nack = sampleReport({
    clientId: 'shop-web',
    changed: [
      cluster('pay', {
        clientStatus: 'NACKED',
        errorState: {
          details: 'pay: no hosts in locality',
          versionInfo: '8',
          lastUpdateAttempt: null,
          failedHash: null,
        },
      }),
    ],
  });
  for (const observation of numbered([nack])) book.fold(observation);
  expect(await find('release-7')).toMatchObject({
    versions: { items: [{ service: 'CDS', version: 'release-7', clients: 2 }], total: 1 },
    clients: { items: [], total: 0 },
  });
  expect((await find('mobile')).clients).toMatchObject({ items: [{ nodeId: 'shop-mobile' }], total: 1 });
  expect((await find('no hosts')).nacks).toMatchObject({
    items: [{ service: 'CDS', name: 'pay', state: 'open', clients: 1 }],
    total: 1,
  });
});

it('builds the index again after its worker crashed', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'xdscope-search-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [crash, program, flag] = ['crash.mjs', 'worker.mjs', 'flag'].map((name) => path.join(folder, name));
  writeFileSync(
    crash ?? '',
    `import { existsSync, rmSync } from 'node:fs'; import { parentPort } from 'node:worker_threads';
    const flag = ${JSON.stringify(flag)};
    parentPort.on('message', () => { if (existsSync(flag)) { rmSync(flag); process.exit(1); } });`,
  );
  writeFileSync(program ?? '', `import './crash.mjs'; import ${JSON.stringify(builtProgram('compute'))};`);
  const { report, names, search } = await start([], program);
  report('shop-web', [cluster('cart')]);
  expect(await names('cart')).toEqual(['CDS cart 1/1']);
  writeFileSync(flag ?? '', '');
  report('shop-mobile', [cluster('cart')]);
  await expect(search.update()).rejects.toThrow('searching failed');
  expect(await names('cart')).toEqual(['CDS cart 2/2']);
});

it('reports parts of the filter that are not valid', async () => {
  const { find } = await start();
  expect((await find('cart zone=a')).problems).toEqual([
    {
      from: 5,
      to: 11,
      message: 'no filter is called "zone": expected type, name, status, hash, address or domain',
    },
  ]);
});
