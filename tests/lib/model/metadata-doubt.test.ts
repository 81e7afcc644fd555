import { expect, it } from 'vitest';
import { FieldReader } from '@/lib/model/field-reader';
import { metadataDoubtOf } from '@/lib/model/metadata-doubt';

const typed = (type: string) => ({ typedConfig: { '@type': `type.googleapis.com/${type}` } });
const http = (type: string) => typed(`envoy.extensions.filters.http.${type}`);

it.each<readonly [filter: object, namespaces: readonly (string | undefined)[]]>([
  [http('header_to_metadata.v3.Config'), []],
  [http('set_metadata.v3.Config'), []],
  [http('ext_authz.v3.ExtAuthz'), ['own', 'envoy.filters.http.ext_authz']],
  [http('lua.v3.Lua'), [undefined]],
  [typed('shop.Filter'), [undefined]],
  [{ configDiscovery: {} }, [undefined]],
])('%j', (filter, namespaces) => {
  const doubts = metadataDoubtOf(FieldReader.open({ name: 'own', ...filter }, []));
  expect(doubts.map(({ namespace }) => namespace)).toEqual(namespaces);
});
