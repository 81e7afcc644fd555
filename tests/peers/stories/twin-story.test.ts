import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { ClientsPage } from '@/lib/views/client/schema';
import { explanation } from '@/lib/views/explain/schema';
import { compareProof } from '@/lib/views/prove/compare-proof';
import { type Proof, type ProveRequest, proof } from '@/lib/views/prove/schema';
import type { Source } from '@/lib/views/sources/schema';
import { corpusDir, hasCorpus } from '../../support/builders/codec-corpus';
import { openContext } from '../../support/e2e-browser';
import { fetchApi, getJson, type RunningServer, sendJson, startServer } from '../../support/e2e-server';
import { waitUntil } from '../../support/wait-until';
import { preparePeer } from '../cache';
import { envoy } from '../envoy/peer';
import { interopPeers } from '../interop/programs';

const version = '1.40.0';
const dataDir = mkdtempSync(path.join(os.tmpdir(), 'xdscope-twin-story-'));
let server: RunningServer;

beforeAll(async () => {
  const { dir } = await preparePeer(envoy, version);
  for (const { peer } of interopPeers) await preparePeer(peer, peer.versions[0] ?? '');
  const command = path.join(dir, 'envoy', '_bin', 'envoy');
  server = await startServer(['--envoy', command, '--data-dir', dataDir, '--no-background-faults']);
});
afterAll(async () => {
  await server?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

type Client = ClientsPage['items'][number];

async function findClient(isWanted: (client: Client) => boolean): Promise<string> {
  let id = '';
  await waitUntil('the client is reported with its listeners and clusters', async () => {
    const { items } = await getJson<ClientsPage>(`${server.url}/api/v1/clients`);
    id = items.find(isWanted)?.id ?? '';
    if (id === '') return false;
    const lists = await Promise.all([listResources(id, 'LDS'), listResources(id, 'CDS')]);
    return lists.every((items) => items.length > 0 && items.every(({ hash }) => hash !== null));
  });
  return id;
}

async function listResources(
  clientId: string,
  type: string,
): Promise<{ name: string; hash: string | null }[]> {
  const url = `${server.url}/api/v1/clients/${encodeURIComponent(clientId)}/resources?type=${type}`;
  return (await getJson<{ items: { name: string; hash: string | null }[] }>(url)).items;
}

type Asked = Partial<Omit<ProveRequest, 'request'>> & {
  readonly request: Partial<ProveRequest['request']> & { readonly authority: string };
};

async function prove(clientId: string, asked: Asked): Promise<Proof> {
  const url = `${server.url}/api/v1/clients/${encodeURIComponent(clientId)}/prove`;
  const response = await sendJson('POST', url, { times: 5, ...asked });
  const text = await response.text();
  expect(response.status, text).toBe(200);
  const json: unknown = JSON.parse(text);
  const parsed = proof.parse(json);
  // zod drops fields that the schema does not contain.
  expect(parsed).toEqual(json);
  return parsed;
}

const opened = new Map<string, Promise<string>>();

function open(file: string): Promise<string> {
  const opening = opened.get(file) ?? importDump(file);
  opened.set(file, opening);
  return opening;
}

function importDump(file: string): Promise<string> {
  const bytes = readFileSync(path.join(corpusDir, 'captures', file));
  const name = path.basename(file);
  return importBytes(name, name.endsWith('.gz') ? gunzipSync(bytes) : bytes);
}

async function importBytes(name: string, bytes: Buffer): Promise<string> {
  const response = await fetchApi(`${server.url}/api/v1/imports?name=${name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: new Uint8Array(bytes),
  });
  expect(response.ok, await response.clone().text()).toBe(true);
  const { id } = (await response.json()) as Source;
  return findClient(({ reports }) => reports.some(({ sourceId }) => sourceId.startsWith(`${id}#`)));
}

describe('the edge of the shop', () => {
  it('sends an RPC to the cluster and endpoint of its route', async () => {
    const clientId = await findClient(({ nodeId }) => nodeId === 'shop-edge');
    await waitUntil('its routes and the endpoints of cart are reported', async () => {
      const routes = await listResources(clientId, 'RDS');
      const endpoints = await listResources(clientId, 'EDS');
      const used = [...routes, ...endpoints.filter(({ name }) => name === 'cart')];
      return routes.length > 0 && used.length > routes.length && used.every(({ hash }) => hash !== null);
    });
    const headers: [string, string][] = [['content-type', 'application/grpc']];
    const path = '/shop.v1.Cart/Get';
    const proved = await prove(clientId, {
      request: { authority: 'shop.example', method: 'POST', path, headers },
    });
    expect(proved.program).toEqual({ name: 'Envoy', version });
    expect(proved.outcome).toEqual({
      listener: 'edge',
      status: 200,
      grpcCode: '0',
      details: 'via_upstream',
      virtualHost: expect.any(String),
      route: 'cart',
      routePath: 'virtualHosts[0].routes[1]',
      cluster: 'cart',
    });
    expect(proved.responses).toEqual([{ status: 200, grpcStatus: '0', requests: 5 }]);
    // Priority 0 has both endpoints in Europe.
    expect(proved.endpoints.map(({ priority, cluster }) => ({ priority, cluster }))).toEqual(
      proved.endpoints.map(() => ({ priority: 0, cluster: 'cart' })),
    );
    expect(proved.endpoints.reduce((sum, { requests }) => sum + requests, 0)).toBe(5);
    expect(proved.log.length).toBe(5);
    expect(proved.changes).toContainEqual(
      expect.objectContaining({
        name: 'cart',
        path: 'endpoints[0].lbEndpoints',
        what: expect.stringContaining('replaced by echo backends'),
      }),
    );
  });

  it('answers what no part of the request can be, and names the listeners that there are', async () => {
    const clientId = await findClient(({ nodeId }) => nodeId === 'shop-edge');
    const url = `${server.url}/api/v1/clients/${encodeURIComponent(clientId)}/prove`;
    const bodies: [object, number, RegExp][] = [
      [{ request: { authority: 'a\r\nb' } }, 400, /request\.authority/],
      [{ request: { authority: 'a', connection: { sourceAddress: 'x\r\nPROXY' } } }, 400, /sourceAddress/],
      [{ request: { authority: 'a', headers: [['a:b', 'c']] } }, 400, /request\.headers/],
      [{ request: { authority: 'a' }, times: 1_001 }, 400, /times/],
      [{ request: { authority: 'a' }, envoy: '/bin/sh' }, 400, /envoy/],
      [{ request: { authority: 'a' }, listener: 'none' }, 422, /of: edge \(127\.0\.0\.1:\d+\)/],
    ];
    for (const [body, status, text] of bodies) {
      const response = await sendJson('POST', url, body);
      expect(await response.text()).toMatch(text);
      expect(response.status).toBe(status);
    }
  });

  it('runs one twin at a time, and ends it when its caller leaves', async () => {
    const clientId = await findClient(({ nodeId }) => nodeId === 'shop-edge');
    const url = `${server.url}/api/v1/clients/${encodeURIComponent(clientId)}/prove`;
    const leaving = new AbortController();
    const body = JSON.stringify({ request: { authority: 'a' }, times: 1_000 });
    const headers = { 'content-type': 'application/json' };
    const first = fetchApi(url, { method: 'POST', headers, body, signal: leaving.signal });
    const left = expect(first).rejects.toThrow();
    const second = { request: { authority: 'a' }, times: 1 };
    await waitUntil('the first twin is under way', async () => {
      return (await sendJson('POST', url, second)).status === 409;
    });
    await waitUntil('its Envoy runs', async () => listTwins().length > 0);
    leaving.abort();
    await left;
    await waitUntil('its Envoy has ended', async () => listTwins().length === 0);
    await waitUntil('the next twin runs', async () => (await sendJson('POST', url, second)).status === 200);
  });
});

describe('a gRPC client', () => {
  const request = {
    ...{ authority: 'web.shop.example', method: 'POST', path: '/shop.v1.Cart/Add' },
    headers: [['x-request-id', '4711'] as [string, string]],
  };

  it.each(['grpc-js', 'grpc-go', 'grpc-java', 'c-core'])('is %s by its name', async (program) => {
    const clientId = await findClient(({ nodeId }) => nodeId.startsWith('shop-web'));
    const asked = { request, program, times: 20 };
    const proved = await prove(clientId, asked);
    expect(proved.rejected).toEqual([]);
    expect(proved.program).toEqual({ name: program, version: expect.stringMatching(/^1\.\d+\.\d+$/) });
    expect(proved.outcome).toMatchObject({ grpcCode: '0', cluster: 'cart' });
    expect(proved.responses).toEqual([{ grpcStatus: '0', requests: 20 }]);
    expect(proved.endpoints.reduce((sum, { requests }) => sum + requests, 0)).toBe(20);
    const url = `${server.url}/api/v1/clients/${encodeURIComponent(clientId)}/explain`;
    const explained = explanation.parse(await (await sendJson('POST', url, request)).json());
    const compared = compareProof(explained, proved);
    expect(compared.filter(({ comparison }) => comparison === 'differs')).toEqual([]);
    expect(compared.find(({ what }) => what === 'endpoint')?.comparison).toBe('same');

    const headers: [string, string][] = [...request.headers, ['x-beta', 'true']];
    const beta = { ...request, path: '/shop.v1.Catalog/List', headers };
    expect((await prove(clientId, { ...asked, request: beta, times: 1 })).outcome).toMatchObject({
      ...{ grpcCode: '0', cluster: 'catalog-canary' },
    });
  });
});

describe('filters that call external services', () => {
  const v3 = 'type.googleapis.com/envoy.extensions.filters';
  const grpc = {
    grpcService: { googleGrpc: { targetUri: '10.0.0.9:9000', statPrefix: 's' }, timeout: '0.1s' },
  };
  const filters = [
    ['authz', 'ext_authz.v3.ExtAuthz', { ...grpc, transportApiVersion: 'V3' }],
    [
      'authz-http',
      'ext_authz.v3.ExtAuthz',
      {
        transportApiVersion: 'V3',
        httpService: { serverUri: { uri: 'http://10.0.0.9', cluster: 'authz', timeout: '0.1s' } },
      },
    ],
    [
      'processor',
      'ext_proc.v3.ExternalProcessor',
      { ...grpc, processingMode: { responseHeaderMode: 'SEND' } },
    ],
    [
      'processor-http',
      'ext_proc.v3.ExternalProcessor',
      {
        httpService: {
          httpService: { httpUri: { uri: 'http://10.0.0.9', cluster: 'processor', timeout: '0.1s' } },
        },
        processingMode: { responseHeaderMode: 'SEND' },
      },
    ],
    [
      'limit',
      'ratelimit.v3.RateLimit',
      { domain: 'd', rateLimitService: { ...grpc, transportApiVersion: 'V3' } },
    ],
  ] as const;
  const address = (host: string, portValue: number) => ({ socketAddress: { address: host, portValue } });
  const endpoint = { endpoint: { address: address('10.0.0.1', 80) } };
  const cluster = {
    ...{ name: 'cart', type: 'STATIC' },
    loadAssignment: { clusterName: 'cart', endpoints: [{ lbEndpoints: [endpoint] }] },
  };
  const rateLimits = [{ actions: [{ genericKey: { descriptorValue: 'all' } }] }];
  const route = { name: 'cart', match: { prefix: '/' }, route: { cluster: 'cart', rateLimits } };
  const manager = {
    '@type': `${v3}.network.http_connection_manager.v3.HttpConnectionManager`,
    statPrefix: 'in',
    httpFilters: [
      ...filters.map(([name, type, fields]) => ({
        name,
        typedConfig: { '@type': `${v3}.http.${type}`, ...fields },
      })),
      { name: 'router', typedConfig: { '@type': `${v3}.http.router.v3.Router` } },
    ],
    routeConfig: { name: 'r', virtualHosts: [{ name: 'v', domains: ['*'], routes: [route] }] },
  };
  const listener = {
    name: 'in',
    address: address('0.0.0.0', 8080),
    filterChains: [{ filters: [{ name: 'hcm', typedConfig: manager }] }],
  };
  const typed = (name: string, json: object) => ({
    '@type': `type.googleapis.com/envoy.${name}`,
    ...json,
  });
  const dump = {
    configs: [
      typed('admin.v3.BootstrapConfigDump', { bootstrap: { node: { id: 'asks-services', cluster: 'c' } } }),
      typed('admin.v3.ClustersConfigDump', {
        staticClusters: [{ cluster: typed('config.cluster.v3.Cluster', cluster) }],
      }),
      typed('admin.v3.ListenersConfigDump', {
        staticListeners: [{ listener: typed('config.listener.v3.Listener', listener) }],
      }),
    ],
  };
  const request = { method: 'GET', authority: 'shop.example', path: '/cart' };
  let clientId = '';
  beforeAll(async () => {
    clientId = await importBytes('asks-services.json', Buffer.from(JSON.stringify(dump)));
  });

  it.each([
    ['', { status: 200, details: 'via_upstream' }],
    ['authz', { status: 403, flag: 'UAEX' }],
    ['authz-http', { status: 403, flag: 'UAEX' }],
    ['processor', { status: 403 }],
    ['processor-http', { status: 403 }],
    ['limit', { status: 429, flag: 'RL' }],
  ])('are stubs, of which one denies: %j', async (deniedBy, outcome) => {
    const proved = await prove(clientId, { request, ...(deniedBy !== '' && { deniedBy }) });
    expect(proved.rejected).toEqual([]);
    expect(proved.outcome).toMatchObject(outcome);
    expect(proved.services).toEqual(
      filters.map(([filter]) => ({ filter, answer: filter === deniedBy ? 'deny' : 'allow' })),
    );
    const url = `${server.url}/api/v1/clients/${encodeURIComponent(clientId)}/explain`;
    const explained = explanation.parse(await (await sendJson('POST', url, request)).json());
    const differing = compareProof(explained, proved).filter(({ comparison }) => comparison === 'differs');
    expect(differing).toEqual([]);
    const answer = compareProof(explained, proved).find(({ what }) => what === 'answer');
    // What a processor answers is its own choice.
    expect(answer?.comparison).toBe(deniedBy.startsWith('processor') ? 'not explained' : 'same');
  });

  it('answers which filters have a stub if another one is named', async () => {
    const url = `${server.url}/api/v1/clients/${encodeURIComponent(clientId)}/prove`;
    const response = await sendJson('POST', url, { request, deniedBy: 'router' });
    expect(response.status).toBe(422);
    expect(await response.text()).toContain('of: authz, authz-http, processor, processor-http, limit');
  });
});

/** The processes whose command line names the bootstrap of a twin. */
function listTwins(): string[] {
  return readdirSync('/proc').filter((id) => {
    if (!/^\d+$/.test(id)) return false;
    try {
      return /xdscope-twin-[^/]+\/bootstrap/.test(readFileSync(`/proc/${id}/cmdline`, 'utf8'));
    } catch (error) {
      // The process has ended since the list was read.
      expect(['ENOENT', 'ESRCH']).toContain((error as NodeJS.ErrnoException).code);
      return false;
    }
  });
}

describe('in the browser', () => {
  it('stops a proof that is under way, and proves the request when asked again', async () => {
    const clientId = await findClient(({ nodeId }) => nodeId === 'shop-edge');
    const context = await openContext({ viewport: { width: 390, height: 900 } });
    onTestFinished(() => context.close());
    const page = await context.newPage();
    const query = new URLSearchParams({ request: 'GET shop.example/cart' });
    await page.goto(`${server.url}/clients/${clientId}/explain?${query}`);
    const panel = page.getByRole('region', { name: 'Proof' });
    await panel.getByRole('button', { name: 'Prove it' }).click();
    await waitUntil('the Envoy of the twin runs', async () => listTwins().length > 0);
    await panel.getByRole('button', { name: 'Stop' }).click();
    await waitUntil('the Envoy has ended', async () => listTwins().length === 0);
    expect(await panel.getByRole('alert').count()).toBe(0);
    expect(await panel.getByRole('table').count()).toBe(0);
    await panel.getByRole('button', { name: 'Prove it' }).click();
    await panel.getByText(`Envoy ${version}, 10 requests`).waitFor();
  });

  it('proves a request that is explained, step by step, and lists what was changed', async () => {
    const clientId = await findClient(({ nodeId }) => nodeId === 'shop-edge');
    const context = await openContext({ viewport: { width: 1_280, height: 900 } });
    onTestFinished(() => context.close());
    const page = await context.newPage();
    const line =
      "curl --http2 -X POST -H 'content-type: application/grpc' -H 'authorization: Bearer token-of-caller' http://shop.example/shop.v1.Cart/Get";
    const query = new URLSearchParams({ request: line });
    await page.goto(`${server.url}/clients/${clientId}/explain?${query}`);
    const panel = page.getByRole('region', { name: 'Proof' });
    await panel.getByRole('button', { name: 'Prove it' }).click();
    await panel.getByText(`Envoy ${version}, 10 requests: no step differs from the trace.`).waitFor();
    const rows = await panel.getByRole('row').allInnerTexts();
    const found = rows.map((row) => row.split(/\s*\t\s*/).map((cell) => cell.trim()));
    expect(found).toContainEqual(['route', 'cart', 'cart', 'same']);
    expect(found).toContainEqual(['cluster', 'cart', 'cart', 'same']);
    expect(found.find(([what]) => what === 'endpoint')?.at(-1)).toBe('same');
    await panel.getByText(/changes of the config for this proof/).click();
    await panel
      .getByText(/EDS cart.*echo backends on loopback/)
      .first()
      .waitFor();
    const download = page.waitForEvent('download');
    await panel.getByRole('button', { name: 'Save as a bug report' }).click();
    const report = readFileSync(await (await download).path(), 'utf8');
    expect(Object.keys(JSON.parse(report))).toEqual(['comparison', 'explanation', 'proof']);
    expect(report).toContain('"routeConfigName": "edge-routes"');
    expect(report).not.toMatch(/PRIVATE KEY|token-of-caller/);
    expect(report).toContain('[redacted]');
  });
});

interface Case {
  readonly file: string;
  readonly asked: Asked;
  readonly outcome: Partial<Proof['outcome']>;
}

const cases: readonly Case[] = [
  {
    file: 'envoy-gateway/envoy-config_dump.json',
    asked: {
      listener: 'shop/eg/http',
      request: { authority: 'cart.example', path: '/cart', headers: [['x-a', 'b']] },
    },
    outcome: {
      status: 200,
      virtualHost: 'shop/eg/http/cart_example',
      route: 'httproute/shop/cart/rule/0/match/0/cart_example',
    },
  },
  {
    file: 'kuma/web-1.config_dump.include_eds.json',
    asked: { request: { authority: 'api:9291' } },
    outcome: {
      status: 200,
      listener: 'outbound:127.0.0.1:9291',
      cluster: 'default_api__default_msvc_80',
      virtualHost: 'default_api__default_msvc_80',
    },
  },
  {
    file: 'istio/envoy/edge-1.config_dump.json.gz',
    asked: {
      request: { authority: 'web.shop.example', path: '/cart', scheme: 'https' },
      listener: '0.0.0.0_8443',
    },
    outcome: { status: 200, route: 'cart', cluster: 'outbound|80|v1|cart.shop.svc.cluster.local' },
  },
  {
    file: 'istio/envoy/cart-1.config_dump.json.gz',
    asked: { listener: '0.0.0.0_80', request: { authority: 'checkout', path: '/healthz' } },
    outcome: { status: 200, details: 'direct_response', route: 'direct' },
  },
  {
    file: 'istio/envoy/cart-1.config_dump.json.gz',
    asked: { listener: 'virtualInbound', request: { authority: 'x', connection: { destinationPort: 8080 } } },
    outcome: { flag: 'NR', details: 'filter_chain_not_found' },
  },
];

describe.skipIf(!hasCorpus)('config dumps (skipped without ../shared/corpus)', () => {
  it.each(cases)('$file: $asked.request.authority', async ({ file, asked, outcome }) => {
    const proved = await prove(await open(file), asked);
    expect(proved.rejected).toEqual([]);
    expect(proved.outcomes.length, JSON.stringify(proved.outcomes)).toBeGreaterThan(0);
    expect(proved.outcome).toMatchObject(outcome);
    expect(proved.outcomes.reduce((sum, { requests }) => sum + requests, 0)).toBe(5);
  });
});
