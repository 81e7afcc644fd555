import { describe, expect, it } from 'vitest';
import { operations } from '@/server/answers/openapi/openapi';
import { findCost } from '@/server/http/find-cost';

describe('the cost of operations', () => {
  it('limits every operation that reads a range of time', () => {
    const ranged = operations.filter(({ method, parameters = [] }) => {
      return method === 'get' && parameters.some(({ name }) => name === 'from' || name === 'span');
    });
    const missing = ranged.filter(({ path }) => findCost({ url: `/api/v1${path}` }) === undefined);
    // Groups of NACKs are in memory, and their number is bounded.
    expect(missing.map(({ path }) => path)).toEqual(['/nacks']);
  });
});

describe('findCost()', () => {
  it.each([
    ['GET', '/api/v1/export?to=2100-01-01T00:00:00Z', 'recording'],
    ['HEAD', '/api/v1/export', 'recording'],
    ['GET', '/api/v1/export/estimate', 'question'],
    ['GET', '/x/../api//v1/clients/00/tears/', 'question'],
    ['POST', '/api/v1/validate', 'question'],
    ['GET', '/api/v1/validate', undefined],
    ['GET', '/api/v1/health', undefined],
    ['GET', '/api/v1/%zz', undefined],
  ])('%s %s: %s', (method, url, kind) => {
    expect(findCost({ method, url })).toBe(kind);
  });
});
