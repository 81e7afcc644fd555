import { createLoader } from 'nuqs/server';
import { expect, test } from 'vitest';
import { prefetchLimit } from '@/app/_components/shell/prefetch-limit';
import {
  type AskServer,
  type ClientView,
  clientViewParsers,
  clientViews,
  findingsParamsOf,
  graphParamsOf,
  resolvedParamsOf,
  resolveStartOf,
  startsParamsOf,
} from '@/app/(dashboard)/clients/[clientId]/client-views';

const load = (stored: Record<string, string>, search: string) =>
  createLoader(clientViewParsers(stored))(new URLSearchParams(search));

test('clientViewParsers: a page without parameters has its own defaults', () => {
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
    changes: '',
    second: 0,
    both: false,
    list: 'ignored',
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
  });
});

test('clientViewParsers: the stored parameters of a permalink are the defaults of its page', () => {
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

test('clientViewParsers: a parameter of the URL replaces a stored one, also with an empty value', () => {
  const stored = { resource: 'CDS:cart', status: 'NACKED', q: 'cart' };
  expect(load(stored, 'resource=&status=&q=pay')).toMatchObject({ resource: '', status: [], q: 'pay' });
});

test('clientViewParsers: an invalid value is replaced by the default', () => {
  expect(load({ status: 'BROKEN', format: 'xml', unknown: '1' }, 'status=ALSO,NACKED')).toMatchObject({
    status: ['NACKED'],
    format: 'yaml',
  });
});

test('clientViewParsers: a value of the effective config that the server would reject is replaced by the default', () => {
  const search = 'profile=ruby&cstatus=broken&offset=-5&list=all';
  expect(load({}, search)).toMatchObject({
    profile: '',
    cstatus: '',
    offset: 0,
    list: 'ignored',
  });
});

test('resolveStartOf: the target replaces a listener, because a query cannot have both', () => {
  const both = load({}, 'target=xds:///shop&listener=other&profile=go');
  expect(resolveStartOf(both)).toEqual({ target: 'xds:///shop', profile: 'go' });
  const listener = load({}, 'listener=other');
  expect(resolveStartOf(listener)).toEqual({ listener: 'other' });
});

test('resolvedParamsOf: a page of clusters is requested without endpoints', () => {
  const query = load({}, 'clusters=cart&cstatus=error&offset=200');
  expect(resolvedParamsOf(query)).toMatchObject({
    find: 'cart',
    status: 'error',
    offset: 200,
    limit: 100,
    endpoints: 0,
  });
});

test('resolvedParamsOf: each chain and each virtual host has its own page, or one number applies to all', () => {
  expect(resolvedParamsOf(load({}, 'hosts=1:100&routes=0.2:200,1.7:400'))).toMatchObject({
    hostsFrom: '1:100',
    routesFrom: '0.2:200,1.7:400',
  });
  expect(resolvedParamsOf(load({ hosts: '100' }, ''))).toMatchObject({ hostsFrom: '100' });
  expect(resolvedParamsOf(load({}, 'hosts=x'))).not.toHaveProperty('hostsFrom');
});

test('startsParamsOf: only start listeners are requested', () => {
  expect(startsParamsOf(load({}, 'listener=shop'), 'cart')).toMatchObject({
    listener: 'shop',
    starts: 'cart',
    limit: 0,
    endpoints: 0,
  });
});

test('findingsParamsOf: the counts by rule do not depend on the open group', () => {
  expect(findingsParamsOf(load({}, 'rule=C6&skip=100&profile=envoy'))).toEqual({
    profile: 'envoy',
    limit: 0,
  });
});

test('graphParamsOf: the graph is marked by the modes that the effective config has', () => {
  expect(graphParamsOf(load({}, 'profile=go'))).toEqual({ expand: [] });
  expect(graphParamsOf(load({}, 'mark=shop&profile=go'))).toEqual({
    expand: [],
    resolve: 'shop',
    profile: 'go',
  });
});

test('clientViews: the page of a large client is delivered before answers about all of its resources', async () => {
  const asked: string[] = [];
  const ask: AskServer = async (name) => {
    asked.push(name);
    return undefined;
  };
  const views: readonly ClientView[] = Object.values(clientViews);
  for (const { prefetch } of views)
    await prefetch?.(ask, { id: 'a', resources: prefetchLimit + 1 }, await load({}, ''));
  expect(asked).toEqual(['resources']);
});
