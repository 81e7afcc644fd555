import { describe, expect, it } from 'vitest';
import { RouteIndex } from '@/lib/explain/reach/route-index';
import { FieldReader } from '@/lib/model/field-reader';

const exact = (name: string, value: string) => ({ name, stringMatch: { exact: value } });

describe('RouteIndex', () => {
  const matches = [
    { prefix: '/a' },
    { path: '/A/b' },
    { prefix: '/b' },
    { prefix: '/', headers: [exact('x-tenant', '1')] },
    { prefix: '/', headers: [exact('x-request-id', '1')] },
    { safeRegex: { regex: '/a/[a-z]+' } },
    { safeRegex: { regex: '/c|/a/.*' } },
    { prefix: '/a/b', queryParameters: [exact('q', '1')] },
    { prefix: '/a', headers: [exact(':method', 'POST')] },
  ];
  const index = new RouteIndex(
    matches.map((match) => FieldReader.open(match, [])),
    (name) => name !== 'x-request-id',
  );
  const find = (parts: Readonly<Record<string, string>>, before = matches.length) =>
    index.find(new Map(Object.entries({ path: '/a/b', method: 'GET', ...parts })), before).routes;

  it('finds routes by path and by one exact value, in order, and leaves out no other that may match', () => {
    expect(find({})).toEqual([0, 1, 4, 5, 6]);
    expect(find({ 'header x-tenant': '1', 'query q': '1' })).toEqual([0, 1, 3, 4, 5, 6, 7]);
    expect(find({ method: 'POST' })).toContain(8);
  });

  it('finds only routes before an index', () => {
    expect(find({}, 5)).toEqual([0, 1, 4]);
  });
});
