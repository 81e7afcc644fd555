import { describe, expect, it } from 'vitest';
import { loadSeriesQuery } from '@/lib/views/load/query';
import { resolveSeriesQuery } from '@/server/answers/load/load-query';
import { parseInput } from '@/server/answers/parse-input';

const now = Date.UTC(2026, 0, 1);

async function resolve(query: Record<string, string>) {
  return resolveSeriesQuery(
    parseInput(loadSeriesQuery, query),
    () => now,
    async (moment) => Date.parse(moment),
  );
}

describe('resolveSeriesQuery()', () => {
  it('reads each measure once, however often it is named', async () => {
    const { question } = await resolve({
      measure: Array.from({ length: 1_000 }, () => 'requests').join(','),
    });
    expect(question.measures).toEqual(['requests']);
  });

  it.each([
    [
      { from: '0001-01-01T00:00:00Z', to: '9999-12-31T23:59:59Z', step: '1s' },
      /^step: expected at most 3000/,
    ],
    [
      { span: '3000s', step: '1s', limit: '1000' },
      'limit: expected at most 2000000 values (groups times steps times measures), got 3000000',
    ],
    [{ limit: '1001' }, /^limit: /],
    [{ limit: 'NaN' }, /^limit: /],
    [{ from: '-271821-04-20T00:00:00Z' }, /^from: /],
    [{ span: '9999999d' }, /^span: expected a duration/],
    [{ span: '-1h' }, /^span: expected a duration/],
  ])('rejects %j', async (query, detail) => {
    await expect(resolve(query)).rejects.toThrow(detail);
  });

  it.each([
    ['a range of ten thousand years', { from: '0001-01-01T00:00:00Z', to: '9999-12-31T23:59:59Z' }],
    ['the longest span', { span: '999999d' }],
  ])('draws %s in at most 300 steps', async (_, query) => {
    const { question, stepMs } = await resolve(query);
    expect((question.span.to - question.span.from) / stepMs).toBeLessThanOrEqual(300);
  });
});
