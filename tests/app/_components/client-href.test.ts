import { expect, test } from 'vitest';
import { clientHref, graphHref } from '@/app/_components/client-href';
import { SDS } from '@/lib/xds/resource-type';

test('links lead to a tab of the client, with the resource selected', () => {
  const resource = { typeUrl: SDS.typeUrl, name: 'cert:a b' };
  expect(clientHref('c/1')).toBe('/clients/c%2F1/resources');
  expect(clientHref('c/1', resource)).toBe('/clients/c%2F1/resources?resource=SDS%3Acert%3Aa%20b');
  expect(graphHref('c/1', resource)).toBe('/clients/c%2F1/graph?resource=SDS%3Acert%3Aa%20b');
});
