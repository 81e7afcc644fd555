import { expect, it } from 'vitest';
import { resolvedQuery } from '@/lib/views/resolved/query';
import { type ClientDefaults, resolverQuestion } from '@/server/answers/resolved/resolved-query';

const reported = { templates: null, certificateProviders: null } as ClientDefaults['reported'];
const tap = (sourceId: string, goneAt: number | null) =>
  ({ sourceId, vantage: 'tap', side: 'client', goneAt }) as const;
const csds = { sourceId: 'c', vantage: 'csds', side: 'client', goneAt: null } as const;

function mayHold(userAgentVersion: string, ...reports: (ReturnType<typeof tap> | typeof csds)[]): boolean {
  const node = { id: 'shop', userAgentName: 'gRPC Go', userAgentVersion };
  const client = { node, asClient: false, reports, reported } as unknown as ClientDefaults;
  return resolverQuestion(resolvedQuery.parse({}), client).mayHoldWithdrawn === true;
}

it('a gRPC-Go whose stream to another server has ended may hold what no stream requests', () => {
  const returned = [tap('first', null), tap('second', 5)];
  expect(mayHold('1.85.0', ...returned)).toBe(true);
  expect(mayHold('1.70.0', ...returned)).toBe(true);
});

it('one of another release, with one stream, with streams that are open or have all ended, or with CSDS may not', () => {
  const returned = [tap('first', null), tap('second', 5)];
  expect(mayHold('1.64.1', ...returned)).toBe(false);
  expect(mayHold('1.85.0', tap('first', null))).toBe(false);
  expect(mayHold('1.85.0', tap('first', null), tap('second', null))).toBe(false);
  expect(mayHold('1.85.0', tap('first', 4), tap('second', 5))).toBe(false);
  expect(mayHold('1.85.0', ...returned, csds)).toBe(false);
});
