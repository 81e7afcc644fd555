import { expect, it } from 'vitest';
import { findMetadataWriters } from '@/lib/explain/metadata-writers';
import { FieldReader } from '@/lib/model/field-reader';

const http = 'type.googleapis.com/envoy.extensions.filters.http.';
const filter = (name: string, type: string, config: object = {}) => ({
  name,
  typedConfig: { '@type': `${http}${type}`, ...config },
});

it('are the filters that can write into "envoy.lb", and those of unknown types', () => {
  const rule = (metadataNamespace?: string) => ({
    requestRules: [
      {
        header: 'x',
        onHeaderMissing: { key: 'v', value: '1', ...(metadataNamespace && { metadataNamespace }) },
      },
    ],
  });
  const httpFilters = [
    filter('cors', 'cors.v3.Cors'),
    filter('lua', 'lua.v3.Lua'),
    filter('stopped', 'lua.v3.Lua'),
    filter('usual', 'header_to_metadata.v3.Config', rule()),
    filter('lb', 'header_to_metadata.v3.Config', rule('envoy.lb')),
    filter('other', 'header_to_metadata.v3.Config', rule('shop')),
    filter('set', 'set_metadata.v3.Config', { metadata: [{ metadataNamespace: 'envoy.lb', value: {} }] }),
    filter('set-other', 'set_metadata.v3.Config', { metadata: [{ metadataNamespace: 'shop', value: {} }] }),
    { name: 'own', typedConfig: { '@type': 'type.googleapis.com/shop.Filter' } },
    { name: 'discovered', configDiscovery: {} },
  ];
  const running = new Set(httpFilters.map(({ name }) => name).filter((name) => name !== 'stopped'));
  const writers = findMetadataWriters(FieldReader.open({ httpFilters }, []), running);
  expect(writers).toEqual(['lua', 'usual', 'lb', 'set', 'own', 'discovered']);
});
