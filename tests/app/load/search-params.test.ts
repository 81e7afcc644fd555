import { createLoader } from 'nuqs/server';
import { expect, test } from 'vitest';
import { loadSearchParams, serialiseLoad } from '@/app/(dashboard)/load/search-params';
import { loadGroupings } from '@/lib/load/load-question';
import { loadGroupingChoices } from '@/lib/view-model/load/load-choices';

const read = createLoader(loadSearchParams);
const readPath = (path: string) => read(new URL(path, 'http://x').searchParams);

test('without anything it is the last quarter of an hour of all clusters', () => {
  expect(readPath('/load')).toEqual({
    ...{ view: 'time', by: 'cluster', span: '15m', rules: 'grpc' },
    ...{ cluster: '', client: '', from: '', to: '' },
  });
});

test('all that is looked at is in the address, whatever the names', () => {
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

test('whatever may be asked for in the address can be chosen, and is drawn', () => {
  expect(loadGroupingChoices.map(({ value }) => value).sort()).toEqual([...loadGroupings].sort());
});

test('a word that is not known is as if it were not there', () => {
  expect(readPath('/load?view=x&by=moon&span=2y&rules=none')).toEqual(readPath('/load'));
});
