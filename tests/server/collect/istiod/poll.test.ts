import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ServerCredentials } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ClientConfigChanged } from '@/lib/observation/observation';
import type { ResourceState } from '@/lib/observation/resource-state';
import { CDS, EDS, LDS } from '@/lib/xds/resource-type';
import { identifyClient } from '@/server/client-id';
import { createRedactionMarker } from '@/server/codec/redaction-marker';
import { usualNodeId } from '@/server/collect/istiod/debug-request';
import { IstiodPoller, type IstiodPollerOptions } from '@/server/collect/istiod/poll';
import { ManagementServer } from '@/server/lab/management-server/management-server';
import type { Resource } from '@/server/lab/management-server/snapshot-store';
import { type Emission, systemClock } from '@/server/observe';
import type { SourceStatus } from '@/server/source-status';
import { noSecurity, type SecurityConfig } from '@/server/transport/grpc/channel-security';
import { type AnyMessage, clusterOf } from '@/tests/support/builders/xds-wire';
import { startCsdsServer } from '@/tests/support/csds-server';
import { listenRaw } from '@/tests/support/grpc-peers';
import { LabGrpcClient } from '@/tests/support/lab-ads-client';
import { TestAuthority } from '@/tests/support/test-certificates';
import { waitUntil } from '@/tests/support/wait-until';

const cleanUps: (() => unknown)[] = [];
let server: ManagementServer;
let target: string;
let emissions: Emission[];
let status: SourceStatus | undefined;

beforeEach(async () => {
  server = new ManagementServer({ clock: systemClock });
  target = await server.listen();
  cleanUps.push(() => server.close());
  emissions = [];
  status = undefined;
});

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

function poll(options: Partial<IstiodPollerOptions> = {}): IstiodPoller {
  const poller = new IstiodPoller({
    ...{ sourceId: `istiod:${target}`, target, security: noSecurity, nodeId: usualNodeId },
    ...{ intervalMs: 50, deadlineMs: 5_000, clock: systemClock, random: () => 0.5 },
    marker: createRedactionMarker(Buffer.from('tests')),
    probedNodes: () => [],
    observe: (emission) => emissions.push(emission),
    onStatus: (reported) => {
      status = reported;
    },
    ...options,
  });
  cleanUps.push(() => poller.close());
  poller.start();
  return poller;
}

function connect(nodeId: string, userAgentName = 'envoy') {
  const client = new LabGrpcClient(target);
  cleanUps.push(() => client.close());
  const stream = client.sotw();
  return {
    stream,
    subscribe: (typeUrl: string, resourceNames: readonly string[] = []) =>
      stream.send({ node: { id: nodeId, userAgentName }, typeUrl, resourceNames }),
  };
}

function dumpsOf(asked: ManagementServer): string[] {
  const dumps: string[] = [];
  asked.onRequest(({ typeUrl, resourceNames }) => {
    if (typeUrl.endsWith('/config_dump')) dumps.push(...resourceNames);
  });
  return dumps;
}

const reported = (): ClientConfigChanged[] =>
  emissions.flatMap(({ observation }) => (observation.kind === 'client-config-changed' ? [observation] : []));

/** Returns the rows that the source reports now, by type and name. */
function rowsOf(nodeId: string): Map<string, ResourceState> {
  const rows = new Map<string, ResourceState>();
  for (const { clientId, changed, removed } of reported()) {
    if (clientId !== identifyClient({ id: nodeId, metadata }, '')) continue;
    const keyOf = ({ typeUrl, name }: { typeUrl: string; name: string }) =>
      `${typeUrl.split('.').at(-1)} ${name}`;
    for (const row of changed) rows.set(keyOf(row), row);
    for (const key of removed) rows.delete(keyOf(key));
  }
  return rows;
}

function resourceOf(name: string, { type_url: typeUrl, value }: AnyMessage): Resource {
  return { typeUrl, name, bytes: value };
}

/** Not expired; the lab looks at it as a whole. */
function tokenOf(namespace: string): string {
  const part = (json: object): string => Buffer.from(JSON.stringify(json)).toString('base64url');
  return `${part({ alg: 'none' })}.${part({ sub: namespace, exp: 4_000_000_000 })}.c2ln`;
}

/** The metadata of every proxy that the lab reports as istiod. */
const metadata = { CLUSTER_ID: 'Kubernetes' };
const nodeId = 'sidecar~10.1.2.3~cart.shop~shop.svc.cluster.local';

describe('an istiod that is polled by its debug types', () => {
  it('1. synced, 2. rejected, 3. resolved: of each type, with nonces, and the configs that go with it', async () => {
    server.setResources('*', [resourceOf('orders', clusterOf('orders', 'orders'))]);
    const proxy = connect(nodeId);
    proxy.subscribe(CDS.typeUrl);
    proxy.subscribe(EDS.typeUrl, ['orders']);
    const first = await proxy.stream.next();
    proxy.stream.send({ typeUrl: CDS.typeUrl, versionInfo: first.versionInfo, responseNonce: first.nonce });
    poll();
    await waitUntil('the cluster is reported', () => rowsOf(nodeId).get('Cluster orders'));
    const rows = rowsOf(nodeId);
    expect([...rows.keys()].sort()).toEqual(['Cluster ', 'Cluster orders', 'ClusterLoadAssignment ']);
    expect(rows.get('Cluster ')).toMatchObject({
      configStatus: 'SYNCED',
      clientStatus: 'UNKNOWN',
      hash: null,
      errorState: null,
      lastUpdated: expect.any(Number),
      nonces: { sent: first.nonce, acked: first.nonce },
    });
    // There are no endpoints to send.
    expect(rows.get('ClusterLoadAssignment ')).toMatchObject({
      configStatus: 'NOT_SENT',
      nonces: { sent: '', acked: '' },
    });
    expect(rows.get('Cluster orders')).toMatchObject({
      configStatus: 'UNKNOWN',
      clientStatus: 'UNKNOWN',
      versionInfo: first.versionInfo,
      hash: expect.any(String),
    });
    expect(reported()[0]).toMatchObject({ side: 'control-plane', part: { number: 1, of: 2 } });
    expect(emissions.flatMap(({ bodies }) => bodies).map(({ hash }) => hash)).toContain(
      rows.get('Cluster orders')?.hash,
    );

    server.setResources('*', [
      resourceOf('orders', clusterOf('orders')),
      resourceOf('cart', clusterOf('cart')),
    ]);
    const second = await proxy.stream.next();
    await waitUntil('it is stale', () => rowsOf(nodeId).get('Cluster ')?.configStatus === 'STALE');
    proxy.stream.send({
      ...{ typeUrl: CDS.typeUrl, versionInfo: first.versionInfo, responseNonce: second.nonce },
      errorDetail: { code: 3, message: 'cart: no such policy' },
    });
    await waitUntil('it is in error', () => rowsOf(nodeId).get('Cluster ')?.configStatus === 'ERROR');
    expect(rowsOf(nodeId).get('Cluster ')).toMatchObject({
      errorState: { details: 'cart: no such policy' },
      nonces: { sent: second.nonce, acked: first.nonce },
    });
    // The sent resources are read again: the new cluster is there, and what is gone is removed.
    await waitUntil('the config is read again', () => rowsOf(nodeId).get('Cluster cart'));
    server.setResources('*', [resourceOf('cart', clusterOf('cart'))]);
    const third = await proxy.stream.next();
    proxy.stream.send({ typeUrl: CDS.typeUrl, versionInfo: third.versionInfo, responseNonce: third.nonce });
    await waitUntil('it is synced again', () => rowsOf(nodeId).get('Cluster ')?.configStatus === 'SYNCED');
    await waitUntil('what is gone is gone', () => !rowsOf(nodeId).has('Cluster orders'));
    expect(rowsOf(nodeId).get('Cluster ')?.errorState).toBeNull();
    expect(status).toMatchObject({ state: 'up', problem: null });
    expect(status?.notes.join(' ')).toMatch(/^This is istiod xdscope-lab, xdscope-lab\.$/);
  });

  it('emits nothing while nothing changes, sends one request at a time, and is no client itself', async () => {
    server.setResources('*', [resourceOf('orders', clusterOf('orders'))]);
    const proxy = connect(nodeId);
    proxy.subscribe(CDS.typeUrl);
    await proxy.stream.next();
    const asked: string[] = [];
    server.onRequest(({ typeUrl, resourceNames, reading }) => {
      if (reading === 'debug') asked.push([typeUrl, ...resourceNames].join(' '));
    });
    poll();
    await waitUntil(
      'it was asked some times',
      () => asked.filter((each) => each.endsWith('/syncz')).length > 3,
    );
    expect(new Set(asked)).toEqual(
      new Set(['istio.io/debug/syncz', 'istio.io/debug syncz', 'istio.io/debug/config_dump cart.shop']),
    );
    expect(asked.filter((each) => each.includes('config_dump'))).toHaveLength(1);
    expect(reported()).toHaveLength(2);
    expect([...(status?.clients.keys() ?? [])]).toEqual([identifyClient({ id: nodeId, metadata }, '')]);
    expect(server.connectedNodes()).toContain(usualNodeId);
    const csds = new LabGrpcClient(target);
    cleanUps.push(() => csds.close());
    const { config = [] } = await csds.fetchClientStatus();
    expect(config.map(({ node }) => node?.id)).toEqual([nodeId]);
  });

  it('reports proxies that disappeared', async () => {
    const proxy = connect(nodeId);
    proxy.subscribe(LDS.typeUrl);
    poll();
    await waitUntil('it is there', () => reported().length > 0);
    proxy.stream.end();
    await waitUntil('it is gone', () =>
      emissions.some(({ observation }) => observation.kind === 'client-gone'),
    );
  });

  it('distinguishes proxies of one node id by their status, with a note', async () => {
    for (const typeUrl of [CDS.typeUrl, LDS.typeUrl]) connect(nodeId).subscribe(typeUrl);
    poll();
    await waitUntil(
      'both are reported',
      () => new Set(reported().map(({ clientId }) => clientId)).size === 2,
    );
    await waitUntil('it is said', () =>
      status?.notes.some((note) => note.includes('Several proxies have the node id')),
    );
  });

  it('requests the config of a proxy by its connection if its name is a part of another one', async () => {
    server.setResources('*', [resourceOf('orders', clusterOf('orders'))]);
    for (const namespace of ['shop', 'shop-test'])
      connect(`sidecar~10.1.2.3~cart.${namespace}~${namespace}.svc.cluster.local`).subscribe(CDS.typeUrl);
    const dumps = dumpsOf(server);
    poll();
    await waitUntil('both configs are requested', () => dumps.length === 2);
    expect(dumps.toSorted()).toEqual([expect.stringMatching(/^cart\.shop-\d+$/), 'cart.shop-test']);
    await waitUntil('the note of unread configs is gone', () => status?.notes.length === 1);
  });

  it('a probe with the node id of a proxy changes neither its config nor its nonces', async () => {
    server.setResources('*', [resourceOf('orders', clusterOf('orders'))]);
    const proxy = connect(nodeId);
    proxy.subscribe(CDS.typeUrl);
    const { nonce: responseNonce } = await proxy.stream.next();
    proxy.stream.send({ typeUrl: CDS.typeUrl, responseNonce });
    const dumps = dumpsOf(server);
    poll();
    await waitUntil('the cluster is reported', () => rowsOf(nodeId).get('Cluster orders'));
    const observed = emissions.length;
    connect(nodeId, 'xdscope').subscribe(LDS.typeUrl);
    const polls = status?.answers ?? 0;
    await waitUntil('the config is requested again', () => dumps.length === 2);
    await waitUntil('the status is requested again', () => (status?.answers ?? 0) > polls + 1);
    expect(dumps).toEqual(['cart.shop', 'cart.shop-1']);
    expect(emissions.slice(observed)).toEqual([]);
  });

  describe('without an identity, so that istiod lists no connections', () => {
    beforeEach(async () => {
      server = new ManagementServer({ clock: systemClock, deniesDebugPages: true });
      const opened = server;
      cleanUps.push(() => opened.close());
      target = await server.listen();
      server.setResources('*', [resourceOf('orders', clusterOf('orders'))]);
    });

    it('a config that differs although nothing was sent is not used, and the source states it', async () => {
      connect(nodeId).subscribe(CDS.typeUrl);
      poll();
      await waitUntil('the cluster is reported', () => rowsOf(nodeId).get('Cluster orders'));
      const observed = emissions.length;
      connect(nodeId, 'xdscope').subscribe(LDS.typeUrl);
      await waitUntil('the answer with the config of the probe is not used', () =>
        status?.notes.some((note) => note.includes('another config of 1 proxy although')),
      );
      expect(emissions.slice(observed)).toEqual([]);
    });

    it('requests no config of a proxy whose node id a probe of this process has', async () => {
      for (const userAgentName of ['envoy', 'xdscope']) connect(nodeId, userAgentName).subscribe(CDS.typeUrl);
      const dumps = dumpsOf(server);
      poll({ probedNodes: () => ['probe-1', nodeId] });
      await waitUntil('the source states it', () =>
        status?.notes.some((note) => note.endsWith(': several clients have the name "cart.shop".')),
      );
      expect(dumps).toEqual([]);
    });

    it('states since when the config of a proxy is not requested, and keeps the one that it has', async () => {
      connect(nodeId).subscribe(CDS.typeUrl);
      poll();
      await waitUntil('the cluster is reported', () => rowsOf(nodeId).get('Cluster orders'));
      const begin = Date.now();
      connect('sidecar~10.1.2.4~cart.shop-test~shop-test.svc.cluster.local').subscribe(CDS.typeUrl);
      const pattern =
        /config of 1 proxy has not been requested since (\S+), .+: "cart.shop" is a part of "cart.shop-test"/;
      const note = await waitUntil('the source states it', () =>
        status?.notes.map((each) => pattern.exec(each)).find((found) => found !== null),
      );
      expect(Date.parse(note[1] ?? '')).toBeGreaterThanOrEqual(begin);
      expect(rowsOf(nodeId).has('Cluster orders')).toBe(true);
    });

    it('requests no config of a new proxy whose name is a part of another one, and its report is complete', async () => {
      for (const namespace of ['shop', 'shop-test'])
        connect(`sidecar~10.1.2.3~cart.${namespace}~${namespace}.svc.cluster.local`).subscribe(CDS.typeUrl);
      const dumps = dumpsOf(server);
      poll();
      await waitUntil('its report is complete without a config', () =>
        reported().some(({ node, part }) => node.id === 'cart.shop' && part?.number === 2),
      );
      await waitUntil('the config of the other one is requested', () => dumps.length > 0);
      expect(dumps).toEqual(['cart.shop-test']);
    });
  });

  it('reports a rejected request with advice, and the status with the required token', async () => {
    const dir = mkdtempSync(path.join(os.tmpdir(), 'istiod-'));
    cleanUps.push(() => rmSync(dir, { recursive: true }));
    const write = (name: string, content: string): string => {
      const file = path.join(dir, name);
      writeFileSync(file, content);
      return file;
    };
    const authority = new TestAuthority();
    const { certificate, key } = authority.issue({ ip: [127, 0, 0, 1] });
    const [wanted, other] = [tokenOf('istio-system'), tokenOf('shop')];
    const guarded = new ManagementServer({ clock: systemClock, debugToken: wanted });
    cleanUps.push(() => guarded.close());
    const pair = { cert_chain: Buffer.from(certificate), private_key: Buffer.from(key) };
    const secured = await guarded.listen(0, ServerCredentials.createSsl(null, [pair]));
    const tls = {
      ...{ kind: 'tls' as const, caCertificateFile: write('ca.pem', authority.certificate) },
      ...{ certificateFile: null, privateKeyFile: null, refreshIntervalMs: 60_000 },
    };
    const ask = (...callCredentials: SecurityConfig['callCredentials']) =>
      poll({ target: secured, security: { credentials: tls, callCredentials } });
    const token = (name: string, text: string) =>
      ({ kind: 'jwt_token_file', file: write(name, text) }) as const;

    const nobody = ask();
    await waitUntil('who asks is not known', () => status?.problem?.code === 'UNAUTHENTICATED');
    expect(status?.problem).toMatchObject({
      message: expect.stringContaining('authentication failure'),
      hint: expect.stringContaining('a token or a certificate of istio-system'),
    });
    nobody.close();
    const somebody = ask(token('other', other));
    await waitUntil('it is another identity', () => status?.problem?.code === 'PERMISSION_DENIED');
    expect(status?.problem).toMatchObject({
      message: expect.stringContaining('denied the request: the debug info is not available'),
      hint: expect.stringContaining('istio-system'),
    });
    somebody.close();
    ask(token('own', wanted));
    await waitUntil('it answers', () => status?.state === 'up');
    expect(status?.problem).toBeNull();
  });

  it('reports a silent ADS server, a server without ADS, and invalid bytes', async () => {
    server.setSilent(true);
    poll({ deadlineMs: 300 });
    await waitUntil('it is down', () => status?.state === 'down');
    expect(status?.problem).toMatchObject({
      code: 'DEADLINE_EXCEEDED',
      hint: expect.stringContaining('istiod'),
    });
    const csds = await startCsdsServer(() => 'silence');
    cleanUps.push(() => csds.close());
    const withoutAds = poll({ target: csds.target.text });
    await waitUntil('it is down', () => withoutAds.status.problem?.code === 'UNIMPLEMENTED');
    const raw = await listenRaw('hello');
    cleanUps.push(() => raw.close());
    const ofNoHttp2 = poll({ target: raw.target.text });
    await waitUntil('it is down', () => ofNoHttp2.status.problem?.code === 'NOT_HTTP2');
  });
});
