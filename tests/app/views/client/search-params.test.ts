import { createLoader } from 'nuqs/server';
import { expect, test } from 'vitest';
import { prefetchLimit } from '@/app/_components/shell/prefetch-limit';
import { parsersOf, resolveStartOf, startsQueryOf } from '@/app/_views/client/search-params';
import { connectionsParams } from '@/app/_views/connections/search-params';
import { failoverParams } from '@/app/_views/failover/search-params';
import { findingsParams, findingsQueryOf } from '@/app/_views/findings/search-params';
import { graphParams, graphQueryOf } from '@/app/_views/graph/search-params';
import { loadParams } from '@/app/_views/load/search-params';
import { propagationParams } from '@/app/_views/propagation/search-params';
import { resolvedParams, resolvedQueryOf } from '@/app/_views/resolved/search-params';
import { resourcesParams } from '@/app/_views/resources/search-params';
import { type AskServer, clientPrefetch } from '@/app/(dashboard)/clients/[clientId]/client-prefetch';

/** The parameters of all tabs; those of one name have one default. */
const all = {
  ...graphParams,
  ...resolvedParams,
  ...failoverParams,
  ...loadParams,
  ...findingsParams,
  ...propagationParams,
  ...connectionsParams,
  ...resourcesParams,
};

const load = (stored: Record<string, string>, search: string) =>
  createLoader(parsersOf(all, stored))(new URLSearchParams(search));

test('parsersOf: a page without parameters has its own defaults', () => {
  expect(load({}, '')).toEqual({
    resource: '',
    format: 'yaml',
    body: '',
    field: '',
    node: '',
    find: '',
    match: 0,
    hide: [],
    view: '',
    endpoints: 'all',
    expand: [],
    table: false,
    legend: true,
    mark: '',
    target: '',
    listener: '',
    profile: '',
    cluster: '',
    clusters: '',
    cstatus: '',
    offset: 0,
    hosts: {},
    routes: {},
    at: '',
    since: '',
    until: '',
    policy: '',
    requests: '',
    changes: '',
    second: 0,
    both: false,
    list: '',
    refs: 0,
    skip: 0,
    rule: '',
    propagation: 'all',
    type: [],
    status: [],
    q: '',
    sort: '',
    columns: [],
    load: 'time',
    by: 'cluster',
    rules: 'grpc',
    request: '',
    source: '',
    destination: '',
    sni: '',
    alpn: '',
    tls: '',
  });
});

test('parsersOf: a tab reads no parameters of other tabs', () => {
  const search = new URLSearchParams('q=cart&sort=-size&skip=100&rule=C6');
  const findings = createLoader(parsersOf(findingsParams, {}))(search);
  expect(findings).toMatchObject({ skip: 100, rule: 'C6' });
  expect(findings).not.toHaveProperty('q');
  expect(createLoader(parsersOf(graphParams, {}))(search)).not.toHaveProperty('sort');
});

test('parsersOf: the stored parameters of a permalink are the defaults of its page', () => {
  const stored = {
    resource: 'CDS:cart',
    status: 'NACKED,TIMEOUT',
    expand: 'a%2Cb,c',
    table: 'true',
    format: 'json',
    q: 'x y',
  };
  expect(load(stored, '')).toMatchObject({
    resource: 'CDS:cart',
    status: ['NACKED', 'TIMEOUT'],
    expand: ['a,b', 'c'],
    table: true,
    format: 'json',
    q: 'x y',
  });
});

test('parsersOf: a parameter of the URL replaces a stored one, also with an empty value', () => {
  const stored = { resource: 'CDS:cart', status: 'NACKED', q: 'cart' };
  expect(load(stored, 'resource=&status=&q=pay')).toMatchObject({ resource: '', status: [], q: 'pay' });
});

test('parsersOf: an invalid value is replaced by the default', () => {
  expect(load({ status: 'BROKEN', format: 'xml', unknown: '1' }, 'status=ALSO,NACKED')).toMatchObject({
    status: ['NACKED'],
    format: 'yaml',
  });
});

test('parsersOf: a value of the effective config that the server would reject is replaced by the default', () => {
  const search = 'profile=ruby&cstatus=broken&offset=-5&list=all';
  expect(load({}, search)).toMatchObject({
    profile: '',
    cstatus: '',
    offset: 0,
    list: '',
  });
});

test('resolveStartOf: the target replaces a listener, because a query cannot have both', () => {
  const both = load({}, 'target=xds:///shop&listener=other&profile=go');
  expect(resolveStartOf(both)).toEqual({ target: 'xds:///shop', profile: 'go' });
  const listener = load({}, 'listener=other');
  expect(resolveStartOf(listener)).toEqual({ listener: 'other' });
});

test('resolvedQueryOf: a page of clusters is requested without endpoints', () => {
  const query = load({}, 'clusters=cart&cstatus=error&offset=200');
  expect(resolvedQueryOf(query)).toMatchObject({
    find: 'cart',
    status: 'error',
    offset: 200,
    limit: 100,
    endpoints: 0,
  });
});

test('resolvedQueryOf: each chain and each virtual host has its own page, or one number applies to all', () => {
  expect(resolvedQueryOf(load({}, 'hosts=1:100&routes=0.2:200,1.7:400'))).toMatchObject({
    hostsFrom: '1:100',
    routesFrom: '0.2:200,1.7:400',
  });
  expect(resolvedQueryOf(load({ hosts: '100' }, ''))).toMatchObject({ hostsFrom: '100' });
  expect(resolvedQueryOf(load({}, 'hosts=x'))).not.toHaveProperty('hostsFrom');
});

test('startsQueryOf: only start listeners are requested', () => {
  expect(startsQueryOf(load({}, 'listener=shop'), 'cart')).toMatchObject({
    listener: 'shop',
    starts: 'cart',
    limit: 0,
    endpoints: 0,
  });
});

test('findingsQueryOf: the counts by rule do not depend on the open group', () => {
  expect(findingsQueryOf(load({}, 'rule=C6&skip=100&profile=envoy'))).toEqual({
    profile: 'envoy',
    limit: 0,
  });
});

test('graphQueryOf: the graph is marked by the modes that the effective config has', () => {
  expect(graphQueryOf(load({}, 'profile=go'))).toEqual({ expand: [] });
  expect(graphQueryOf(load({}, 'mark=shop&profile=go'))).toEqual({
    expand: [],
    resolve: 'shop',
    profile: 'go',
  });
});

test('clientPrefetch: the page of a large client is delivered before answers about all of its resources', async () => {
  const asked: string[] = [];
  const ask: AskServer = async (name) => {
    asked.push(name);
    return undefined;
  };
  for (const prefetch of Object.values(clientPrefetch))
    await prefetch(ask, { id: 'a', resources: prefetchLimit + 1 }, {});
  expect(asked).toEqual(['resources']);
});

test('clientPrefetch: what may be an error of the request is asked by the browser', async () => {
  const asked: string[] = [];
  const ask: AskServer = async (name) => {
    asked.push(name);
    return undefined;
  };
  const client = { id: 'a', resources: 1 };
  await clientPrefetch.resolved?.(ask, client, { target: 'xds:///shop' });
  await clientPrefetch.failover?.(ask, client, { cluster: 'cart' });
  expect(asked).toEqual([]);
  await clientPrefetch.resolved?.(ask, client, { listener: 'shop' });
  await clientPrefetch.failover?.(ask, client, {});
  expect(asked).toEqual(['resolved', 'lb-tree']);
});
