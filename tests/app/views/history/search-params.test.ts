import { createLoader } from 'nuqs/server';
import { describe, expect, it } from 'vitest';
import { filterTextOf, historyParamsOf, historySearchParsers } from '@/app/_views/history/search-params';

const load = createLoader(historySearchParsers({}));
const extent = { from: '', to: '' };

function paramsOf(query: string) {
  const search = load(new URL(`/history?${query}`, 'http://x').searchParams);
  return historyParamsOf(search, filterTextOf(search), extent, null);
}

describe('the filter of History in the URL', () => {
  it('of before there was one text asks for the same', () => {
    const old = paramsOf(
      'type=CDS,EDS&kind=nack-sent&name=Cart&version=v+1&error=No+hosts&stream=s1&client=c',
    );
    expect(old).toEqual({
      ...{ client: 'c', stream: 's1', type: ['CDS', 'EDS'], kind: ['nack-sent'], resource: 'Cart' },
      ...{ version: 'v 1', error: 'No hosts', rejected: '', from: '', to: '' },
    });
    const text = encodeURIComponent('name=Cart version="v 1" error~"No hosts" stream=s1');
    expect(paramsOf(`type=CDS,EDS&kind=nack-sent&client=c&q=${text}`)).toEqual(old);
  });

  it('narrows the chosen types and kinds', () => {
    expect(paramsOf('type=CDS,EDS&q=type%3DEDS').type).toEqual(['EDS']);
    expect(paramsOf('kind=ack-sent,nack-sent&q=status%3DACKED').kind).toEqual(['ack-sent']);
    expect(paramsOf('q=status%3DNACKED+since%3D10m')).toMatchObject({ rejected: 'true', from: 'now-10m' });
  });

  it('has ages that end at the moment of a permalink', () => {
    const search = load(new URL('/history?q=since%3D10m', 'http://x').searchParams);
    const now = Date.parse('2026-11-22T20:30:00.000Z');
    expect(historyParamsOf(search, filterTextOf(search), extent, null, now).from).toBe(
      Date.parse('2026-11-22T20:20:00.000Z'),
    );
  });

  it('finds nothing if it contradicts itself, rather than everything', () => {
    const [none, ...more] = paramsOf('type=CDS&q=type%3DEDS').type;
    expect([none, more]).toEqual(['type.googleapis.com/xdscope.NoType', []]);
    expect(paramsOf('kind=ack-sent&q=kind%3Dnack-sent').type).toEqual([none]);
  });
});
