import { createLoader } from 'nuqs/server';
import { expect, test } from 'vitest';
import { clientViewParsers } from '@/app/(dashboard)/clients/[clientId]/search-params';

const load = (stored: Record<string, string>, search: string) =>
  createLoader(clientViewParsers(stored))(new URLSearchParams(search));

test('clientViewParsers: without anything the page has its own defaults', () => {
  expect(load({}, '')).toEqual({
    resource: '',
    format: 'yaml',
    body: '',
    node: '',
    find: '',
    expand: [],
    table: false,
    type: [],
    status: [],
    q: '',
    sort: '',
  });
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
