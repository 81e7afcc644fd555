import { createLoader } from 'nuqs/server';
import { expect, test } from 'vitest';
import {
  clientViewParsers,
  findingsParamsOf,
  graphParamsOf,
  resolvedParamsOf,
  resolveStartOf,
  startsParamsOf,
} from '@/app/(dashboard)/clients/[clientId]/client-views';

const load = (stored: Record<string, string>, search: string) =>
  createLoader(clientViewParsers(stored))(new URLSearchParams(search));

test('clientViewParsers: without anything the page has its own defaults', () => {
  expect(load({}, '')).toEqual({
    resource: '',
    format: 'yaml',
    body: '',
    field: '',
    node: '',
    find: '',
    expand: [],
    table: false,
    mark: '',
    target: '',
    listener: '',
    profile: '',
    errors: 'pre-a88',
    cluster: '',
    clusters: '',
    cstatus: '',
    offset: 0,
    hosts: {},
    routes: {},
    at: '',
    since: '',
    until: '',
    kind: '',
    policy: '',
    changes: '',
    second: 0,
    list: 'ignored',
    refs: 0,
    from: 0,
    rule: '',
    only: 'all',
    propagation: 'all',
    type: [],
    status: [],
    q: '',
    sort: '',
    load: 'time',
    by: 'cluster',
    span: '15m',
    rules: 'grpc',
    to: '',
  });
});

test('clientViewParsers: where the load is paused is in the address', () => {
  expect(load({}, '?load=split&to=2026-11-22T09:00:00.000Z').to).toBe('2026-11-22T09:00:00.000Z');
});

test('clientViewParsers: what a permalink stored is the default of its page', () => {
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

test("clientViewParsers: the reader's change wins over what was stored, an empty one too", () => {
  const stored = { resource: 'CDS:cart', status: 'NACKED', q: 'cart' };
  expect(load(stored, 'resource=&status=&q=pay')).toMatchObject({ resource: '', status: [], q: 'pay' });
});

test('clientViewParsers: what no version of the page wrote is the default', () => {
  expect(load({ status: 'BROKEN', format: 'xml', unknown: '1' }, 'status=ALSO,NACKED')).toMatchObject({
    status: ['NACKED'],
    format: 'yaml',
  });
});

test('clientViewParsers: what the server would reject of a resolved config is the default', () => {
  const search = 'profile=ruby&errors=none&cstatus=broken&offset=-5&list=all';
  expect(load({}, search)).toMatchObject({
    profile: '',
    errors: 'pre-a88',
    cstatus: '',
    offset: 0,
    list: 'ignored',
  });
});

test('resolveStartOf: a target and a listener together are no question, and the target wins', () => {
  const both = load({}, 'target=xds:///shop&listener=other&profile=go');
  expect(resolveStartOf(both)).toEqual({ target: 'xds:///shop', profile: 'go', errors: 'pre-a88' });
  const listener = load({}, 'listener=other');
  expect(resolveStartOf(listener)).toEqual({ listener: 'other', errors: 'pre-a88' });
});

test('resolvedParamsOf: a page of the clusters is asked for without their endpoints', () => {
  const query = load({}, 'clusters=cart&cstatus=error&offset=200');
  expect(resolvedParamsOf(query)).toMatchObject({
    find: 'cart',
    status: 'error',
    offset: 200,
    limit: 100,
    endpoints: 0,
  });
});

test('resolvedParamsOf: each chain and each virtual host has its own page, and an older link one for all', () => {
  expect(resolvedParamsOf(load({}, 'hosts=1:100&routes=0.2:200,1.7:400'))).toMatchObject({
    hostsFrom: '1:100',
    routesFrom: '0.2:200,1.7:400',
  });
  expect(resolvedParamsOf(load({ hosts: '100' }, ''))).toMatchObject({ hostsFrom: '100' });
  expect(resolvedParamsOf(load({}, 'hosts=x'))).not.toHaveProperty('hostsFrom');
});

test('startsParamsOf: only the listeners to begin with are asked for', () => {
  expect(startsParamsOf(load({}, 'listener=shop'), 'cart')).toMatchObject({
    listener: 'shop',
    starts: 'cart',
    limit: 0,
    endpoints: 0,
  });
});

test('findingsParamsOf: findings begin where they do, whatever the page of the clusters', () => {
  expect(findingsParamsOf(load({}, 'offset=200&from=100'))).toMatchObject({ offset: 100 });
  expect(findingsParamsOf(load({}, 'offset=200'))).toMatchObject({ offset: 0 });
});

test('graphParamsOf: the graph is marked by the modes that the Resolved tab has', () => {
  expect(graphParamsOf(load({}, 'profile=go'))).toEqual({ expand: [] });
  expect(graphParamsOf(load({}, 'mark=shop&profile=go&errors=pre-a88'))).toEqual({
    expand: [],
    resolve: 'shop',
    profile: 'go',
    errors: 'pre-a88',
  });
});
