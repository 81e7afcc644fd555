import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  clientAddress,
  type DiffAddress,
  formatDiffAddress,
  parseDiffAddress,
} from '@/lib/views/compare/diff-address';
import { CDS, resourceTypes } from '@/lib/xds/resource-type';

describe('an address of one side of a comparison', () => {
  it.each<[string, DiffAddress]>([
    ['client/0123456789abcdef', clientAddress('0123456789abcdef')],
    ['client/x1@seq:4711', clientAddress('x1', 'seq:4711')],
    [
      'client/x1@2026-11-21T11:04:07.123Z;control-plane/CDS/xdstp://a/b/shop;x@y',
      {
        ...clientAddress('x1', '2026-11-21T11:04:07.123Z'),
        side: 'control-plane',
        resource: { typeUrl: CDS.typeUrl, name: 'xdstp://a/b/shop;x@y' },
      },
    ],
    [
      'client/x1@seq:9;source=csds%3A10.0.0.1%3A50051/CDS/shop',
      {
        ...clientAddress('x1', 'seq:9'),
        sourceId: 'csds:10.0.0.1:50051',
        resource: { typeUrl: CDS.typeUrl, name: 'shop' },
      },
    ],
    [
      'permalink/a-B_9/type.googleapis.com%2Facme.Thing/',
      {
        what: 'permalink',
        id: 'a-B_9',
        at: null,
        side: null,
        sourceId: null,
        resource: { typeUrl: 'type.googleapis.com/acme.Thing', name: '' },
      },
    ],
  ])('%s is read and written', (text, address) => {
    expect(parseDiffAddress(text)).toEqual(address);
    expect(formatDiffAddress(address)).toBe(text);
  });

  it.each([
    '',
    'client',
    'client/',
    'client/a b',
    'probe/a',
    'permalink/a@seq:1',
    'client/a/CDS',
    'client/a;x',
    'client/a;source=',
    'client/a;source=%zz',
    'client/a;control-plane;source=x',
    'permalink/a;source=x',
  ])('%j is none', (text) => {
    expect(parseDiffAddress(text)).toBe(undefined);
  });

  it('is parsed back to the same value, whatever the name of the resource is', () => {
    const typeUrl = fc.constantFrom(
      ...resourceTypes.map((type) => type.typeUrl),
      'type.googleapis.com/a/b c',
    );
    const resource = fc.option(fc.record({ typeUrl, name: fc.string({ unit: 'grapheme' }) }));
    const at = fc.constantFrom(null, 'seq:1', '2026-11-21T11:04:07.123+01:00');
    const sourceId = fc.string({ unit: 'grapheme', minLength: 1 });
    const whose = fc.oneof(
      fc.constantFrom({ side: 'control-plane' as const, sourceId: null }, { side: null, sourceId: null }),
      sourceId.map((id) => ({ side: null, sourceId: id })),
    );
    fc.assert(
      fc.property(resource, at, whose, (resource, at, whose) => {
        const address: DiffAddress = { what: 'client', id: 'abc', at, ...whose, resource };
        expect(parseDiffAddress(formatDiffAddress(address))).toEqual(address);
      }),
    );
  });
});
