import { describe, expect, it } from 'vitest';
import {
  firstPages,
  formatTablePages,
  pageOf,
  parseTablePages,
  turnPage,
} from '@/lib/views/fields/table-pages';

describe('table pages', () => {
  it('are read and written, each table its own', () => {
    const pages = parseTablePages('2:200,0.5:400') ?? firstPages;
    expect([pageOf(pages, '2'), pageOf(pages, '0.5'), pageOf(pages, '0')]).toEqual([200, 400, 0]);
    expect(formatTablePages(pages)).toBe('0.5:400,2:200');
    expect(parseTablePages('')).toEqual(firstPages);
  });

  it('have a bare number for every table that is not named, as links had it once', () => {
    const pages = parseTablePages('100,1:300') ?? firstPages;
    expect([pageOf(pages, '0'), pageOf(pages, '1')]).toEqual([100, 300]);
    expect(formatTablePages(turnPage(pages, '1', 100))).toBe('100');
    expect(formatTablePages(turnPage(pages, '1', 0))).toBe('100,1:0');
  });

  it('are turned one table at a time, and leave no trace on the first page', () => {
    const second = turnPage(firstPages, '0', 100);
    const both = turnPage(second, '0.1', 200);
    expect(formatTablePages(both)).toBe('0.1:200,0:100');
    expect(turnPage(turnPage(both, '0', 0), '0.1', 0)).toEqual(firstPages);
  });

  it.each(['-1', '1:', ':1', 'x:1', '1:2:3', '12345678', '1:2,', '__proto__:1'])('are not "%s"', (text) => {
    expect(parseTablePages(text)).toBeUndefined();
  });

  it('are bounded: 100 tables are remembered, and no more are read', () => {
    let pages = firstPages;
    for (let table = 0; table < 150; table++) pages = turnPage(pages, String(table), 100);
    const text = formatTablePages(pages);
    expect(text.split(',')).toHaveLength(100);
    expect(parseTablePages(text)).toEqual(pages);
    expect(parseTablePages(`${text},0:1`)).toBeUndefined();
  });
});
