import { expect, test } from 'vitest';
import { formatVisible } from '@/lib/format/visible-text';

test.each([
  ['shop-cart', 'shop-cart'],
  ['line\r\nbreak', 'line␍␊break'],
  ['nul\u0000 tab\t del\u007f', 'nul␀ tab␉ del␡'],
  ['\u202egnp.exe', '\\u202egnp.exe'],
  ['\u05d0\u05d1 \u{1F469}\u200d\u{1F467}', '\u05d0\u05d1 \u{1F469}\u200d\u{1F467}'],
])('formatVisible of %j', (name, expected) => {
  expect(formatVisible(name)).toBe(expected);
});
