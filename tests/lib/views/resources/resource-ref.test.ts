import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatResourceRef, parseResourceRef } from '@/lib/views/resources/resource-ref';
import { CDS, normaliseTypeUrl } from '@/lib/xds/resource-type';

test('formatResourceRef formats a known type as its service', () => {
  expect(formatResourceRef({ typeUrl: CDS.typeUrl, name: 'shop-cart' })).toBe('CDS:shop-cart');
});

test('parseResourceRef keeps colons of the name', () => {
  expect(parseResourceRef('CDS:outbound|80||cart:v2')).toEqual({
    typeUrl: CDS.typeUrl,
    name: 'outbound|80||cart:v2',
  });
});

test('parseResourceRef reads back any type URL and name', () => {
  fc.assert(
    fc.property(fc.string(), fc.string({ unit: 'grapheme' }), (type, name) => {
      const key = { typeUrl: normaliseTypeUrl(type), name };
      expect(parseResourceRef(formatResourceRef(key))).toEqual(key);
    }),
  );
});

test('parseResourceRef finds nothing in text without a type, or with broken escapes', () => {
  expect(parseResourceRef('')).toBeUndefined();
  expect(parseResourceRef('cart')).toBeUndefined();
  expect(parseResourceRef('%E0%A4%A:cart')).toBeUndefined();
});
