import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { CDS } from '@/lib/xds/resource-type';
import { identifyClient } from '@/server/client-id';
import { startRuntime } from '@/server/compose/start-runtime';
import { readConfig } from '@/server/config/read-config';
import { ManagementServer } from '@/server/lab/management-server/management-server';
import { systemClock } from '@/server/observe';
import { clusterOf } from '@/tests/support/builders/xds-wire';
import { freePort } from '@/tests/support/free-port';
import { LabGrpcClient } from '@/tests/support/lab-ads-client';
import { patienceMs } from '@/tests/support/patience';
import { waitUntil } from '@/tests/support/wait-until';

/** The node id in captures/istio. */
const nodeId = 'sidecar~10.1.0.1~cart-1.shop~shop.svc.cluster.local';
const node = {
  id: nodeId,
  userAgentName: 'envoy',
  metadata: { fields: { CLUSTER_ID: { kind: 'stringValue', stringValue: 'Kubernetes' } } },
};

it('a proxy of Istio and the report of istiod on it are one client, and a probe with its node id is another', {
  timeout: patienceMs(60_000),
}, async () => {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'xdscope-istio-'));
  const { type_url: typeUrl, value: bytes } = clusterOf('orders');
  const replicas = ['a', 'b'].map((identifier) => new ManagementServer({ clock: systemClock, identifier }));
  for (const replica of replicas) replica.setResources('*', [{ typeUrl, name: 'orders', bytes }]);
  const [istiod = '', other = ''] = await Promise.all(replicas.map((replica) => replica.listen()));
  const tap = `127.0.0.1:${await freePort()}`;
  const config = path.join(dataDir, 'config.json');
  writeFileSync(config, JSON.stringify({ ads: [{ target: other, nodeId }] }));
  const argv = [
    '--config',
    config,
    '--istiod',
    istiod,
    '--istiod-interval',
    '1s',
    '--tap',
    `${tap}=${istiod}`,
    '--data-dir',
    dataDir,
  ];
  const runtime = await startRuntime(readConfig({ argv, env: {}, cwd: dataDir, version: '0' }), '0');
  const proxy = await waitUntil('the tap listens', async () => {
    const { items } = await runtime.api.ask('sources', {}, { params: {} });
    return items.some(({ kind, state }) => kind === 'tap' && state === 'up') && new LabGrpcClient(tap);
  });
  try {
    const stream = proxy.sotw();
    stream.send({ node, typeUrl: CDS.typeUrl });
    const { versionInfo, nonce: responseNonce } = await stream.next();
    stream.send({ typeUrl: CDS.typeUrl, versionInfo, responseNonce });
    const id = identifyClient({ id: nodeId, metadata: { CLUSTER_ID: 'Kubernetes' } }, '');
    const rows = await waitUntil('istiod has reported its config', async () => {
      const page = await runtime.api.askClient('resources', { clientId: id }, {});
      const items = page?.items ?? [];
      return items.some(({ name, controlPlane }) => name === 'orders' && controlPlane !== null) && items;
    });
    const row = rows.find(({ name }) => name === 'orders');
    expect(row).toMatchObject({ state: 'ACKED', controlPlane: { hash: row?.hash } });
    const clients = await waitUntil('the probe is reported', async () => {
      const { items } = await runtime.api.ask('clients', {}, { params: {} });
      return items.some(({ isProbe }) => isProbe) && items;
    });
    const shown = clients.map(({ isProbe, nodeId, userAgent, reports }) => ({
      ...{ isProbe, nodeId, userAgent },
      vantages: reports.map(({ vantage }) => vantage).sort(),
    }));
    expect(shown.sort((a, b) => Number(a.isProbe) - Number(b.isProbe))).toEqual([
      { isProbe: false, nodeId, userAgent: 'envoy', vantages: ['istiod', 'tap'] },
      { isProbe: true, nodeId, userAgent: 'xdscope 0', vantages: ['probe'] },
    ]);
  } finally {
    proxy.close();
    await runtime.close();
    await Promise.all(replicas.map((replica) => replica.close()));
    rmSync(dataDir, { recursive: true, force: true });
  }
});
