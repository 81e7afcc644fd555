import { createLoader } from 'nuqs/server';
import { expect, test } from 'vitest';
import {
  clientViewParsers,
  findingsParamsOf,
  graphParamsOf,
  resolvedParamsOf,
  resolveStartOf,
  startsParamsOf,
} from '@/app/(dashboard)/clients/[clientId]/search-params';

const load = (stored: Record<string, string>, search: string) =>
  createLoader(clientViewParsers(stored))(new URLSearchParams(search));

test('clientViewParsers: the end of the time range of load is in the address', () => {
  expect(load({}, '?load=split&to=2026-11-22T09:00:00.000Z').to).toBe('2026-11-22T09:00:00.000Z');
});

test('clientViewParsers: the view stored in a permalink is the default', () => {
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

test('clientViewParsers: the address overrides the stored view, even if empty', () => {
  const stored = { resource: 'CDS:cart', status: 'NACKED', q: 'cart' };
  expect(load(stored, 'resource=&status=&q=pay')).toMatchObject({ resource: '', status: [], q: 'pay' });
});

test('clientViewParsers: unknown values fall back to the defaults', () => {
  expect(load({ status: 'BROKEN', format: 'xml', unknown: '1' }, 'status=ALSO,NACKED')).toMatchObject({
    status: ['NACKED'],
    format: 'yaml',
  });
});

test('clientViewParsers: parameters of an effective config that the server would reject fall back to the defaults', () => {
  const search = 'profile=ruby&errors=none&cstatus=broken&offset=-5&list=all';
  expect(load({}, search)).toMatchObject({
    profile: '',
    errors: 'pre-a88',
    cstatus: '',
    offset: 0,
    list: 'ignored',
  });
});

test('resolveStartOf: a target takes precedence over a listener', () => {
  const both = load({}, 'target=xds:///shop&listener=other&profile=go');
  expect(resolveStartOf(both)).toEqual({ target: 'xds:///shop', profile: 'go', errors: 'pre-a88' });
  const listener = load({}, 'listener=other');
  expect(resolveStartOf(listener)).toEqual({ listener: 'other', errors: 'pre-a88' });
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

test('resolvedParamsOf: each filter chain and virtual host has its own page, in an older link one page for all', () => {
  expect(resolvedParamsOf(load({}, 'hosts=1:100&routes=0.2:200,1.7:400'))).toMatchObject({
    hostsFrom: '1:100',
    routesFrom: '0.2:200,1.7:400',
  });
  expect(resolvedParamsOf(load({ hosts: '100' }, ''))).toMatchObject({ hostsFrom: '100' });
  expect(resolvedParamsOf(load({}, 'hosts=x'))).not.toHaveProperty('hostsFrom');
});

test('startsParamsOf: requests only start listeners', () => {
  expect(startsParamsOf(load({}, 'listener=shop'), 'cart')).toMatchObject({
    listener: 'shop',
    starts: 'cart',
    limit: 0,
    endpoints: 0,
  });
});

test('findingsParamsOf: the page of findings is independent of the page of clusters', () => {
  expect(findingsParamsOf(load({}, 'offset=200&from=100'))).toMatchObject({ offset: 100 });
  expect(findingsParamsOf(load({}, 'offset=200'))).toMatchObject({ offset: 0 });
});

test('graphParamsOf: the graph uses the profile and error model of the effective config', () => {
  expect(graphParamsOf(load({}, 'profile=go'))).toEqual({ expand: [] });
  expect(graphParamsOf(load({}, 'mark=shop&profile=go&errors=pre-a88'))).toEqual({
    expand: [],
    resolve: 'shop',
    profile: 'go',
    errors: 'pre-a88',
  });
});
