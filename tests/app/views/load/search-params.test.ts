import { createLoader } from 'nuqs/server';
import { expect, test } from 'vitest';
import { loadSearchParams, serialiseLoad } from '@/app/_views/load/search-params';
import { loadGroupings } from '@/lib/load/load-question';
import { loadGroupingChoices } from '@/lib/views/load/load-choices';

const read = createLoader(loadSearchParams);
const readPath = (path: string) => read(new URL(path, 'http://x').searchParams);

test('the default is all clusters', () => {
  expect(readPath('/load')).toEqual({
    ...{ view: 'time', by: 'cluster', rules: 'grpc' },
    ...{ cluster: '', client: '', sort: '' },
  });
});

test('the whole view is in the address, whatever the names', () => {
  const params = {
    view: 'split',
    by: 'client-locality',
    rules: 'envoy',
    cluster: 'outbound|80|a&b=c|ü#?.local',
    client: 'c/1 %2F',
    sort: 'drops',
  } as const;
  expect(readPath(serialiseLoad('/load', params))).toEqual(params);
});

test('each grouping of the address can be chosen on the page', () => {
  expect(loadGroupingChoices.map(({ value }) => value).sort()).toEqual([...loadGroupings].sort());
});

test('unknown values fall back to the defaults', () => {
  expect(readPath('/load?view=x&by=moon&rules=none')).toEqual(readPath('/load'));
});
