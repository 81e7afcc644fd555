import { createLoader } from 'nuqs/server';
import { expect, test } from 'vitest';
import { loadSearchParams, serialiseLoad } from '@/app/(dashboard)/load/search-params';
import { loadGroupings } from '@/lib/load/load-question';
import { loadGroupingChoices } from '@/lib/view-model/load/load-choices';

const read = createLoader(loadSearchParams);
const readPath = (path: string) => read(new URL(path, 'http://x').searchParams);

test('the default is the last quarter of an hour of all clusters', () => {
  expect(readPath('/load')).toEqual({
    ...{ view: 'time', by: 'cluster', span: '15m', rules: 'grpc' },
    ...{ cluster: '', client: '', from: '', to: '' },
  });
});

test('the URL has the whole view, whatever the names', () => {
  const params = {
    view: 'split',
    by: 'client-locality',
    span: '7d',
    rules: 'envoy',
    cluster: 'outbound|80|a&b=c|ü#?.local',
    client: 'c/1 %2F',
    from: '2026-11-22T08:00:00.000Z',
    to: '2026-11-22T09:00:00.000Z',
  } as const;
  expect(readPath(serialiseLoad('/load', params))).toEqual(params);
});

test('every value of the URL can be chosen and is drawn', () => {
  expect(loadGroupingChoices.map(({ value }) => value).sort()).toEqual([...loadGroupings].sort());
});

test('an unknown value is ignored', () => {
  expect(readPath('/load?view=x&by=moon&span=2y&rules=none')).toEqual(readPath('/load'));
});
