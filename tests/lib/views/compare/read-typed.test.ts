import { describe, expect, it } from 'vitest';
import { shownRows } from '@/lib/views/compare/build-diff-rows';
import { clientAddress, permalinkAddress } from '@/lib/views/compare/diff-address';
import { readPastedAddress, readTypedMoment } from '@/lib/views/compare/read-typed';

describe('parsing of a typed or pasted side', () => {
  it.each([
    ['http://127.0.0.1:8080/p/a-B_9', permalinkAddress('a-B_9')],
    ['/p/abc/graph?find=x', permalinkAddress('abc')],
    [' permalink/abc ', permalinkAddress('abc')],
    ['https://x.example/clients/0123/resources?type=CDS&at=seq%3A5', clientAddress('0123', 'seq:5')],
    ['/clients/0123', clientAddress('0123')],
    ['client/0123@seq:5', clientAddress('0123', 'seq:5')],
    ['shop', undefined],
  ])('%j is read', (text, address) => {
    expect(readPastedAddress(text)).toEqual(address);
  });

  it.each([
    ['', ''],
    ['Now', ''],
    ['seq:12', 'seq:12'],
    ['2026-11-21T11:04:07.123Z', '2026-11-21T11:04:07.123Z'],
    ['2026-11-21 11:04:07', new Date('2026-11-21T11:04:07').toISOString()],
    ['2026-11-21 11:04:07.123 GMT+1', new Date('2026-11-21T11:04:07.123').toISOString()],
    ['yesterday', undefined],
    ['2026-13-45 11:04', undefined],
  ])('the moment %j is read', (text, moment) => {
    expect(readTypedMoment(text)).toBe(moment);
  });
});

describe('shownRows', () => {
  it('leaves out the descendants of closed rows', () => {
    const rows = [0, 1, 2, 1, 0, 1].map((depth) => ({ depth }));
    expect(shownRows(rows, new Set())).toEqual([0, 1, 2, 3, 4, 5]);
    expect(shownRows(rows, new Set([1]))).toEqual([0, 1, 3, 4, 5]);
    expect(shownRows(rows, new Set([0, 1]))).toEqual([0, 4, 5]);
  });
});
