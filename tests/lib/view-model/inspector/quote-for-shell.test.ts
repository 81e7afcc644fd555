import { execFileSync } from 'node:child_process';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { quoteForShell } from '@/lib/view-model/inspector/quote-for-shell';

test.each([
  ['cart', 'cart'],
  ['127.0.0.1:50051', '127.0.0.1:50051'],
  ['', "''"],
  ['a b', "'a b'"],
  ["it's", "'it'\\''s'"],
  ['$(reboot)', "'$(reboot)'"],
  ['a\nb', "'a\nb'"],
])('quoteForShell(%j) is %j', (text, quoted) => {
  expect(quoteForShell(text)).toBe(quoted);
});

test('quoteForShell: a real shell reads back any text as one word', () => {
  const texts = fc.sample(fc.string({ unit: 'binary' }), { numRuns: 200, seed: 1 });
  const plain = texts.map((text) => text.replaceAll('\u0000', ''));
  const script = `for word in ${texts.map(quoteForShell).join(' ')}; do printf '%s\\0' "$word"; done`;
  expect(execFileSync('/bin/sh', ['-c', script]).toString().split('\u0000').slice(0, -1)).toEqual(plain);
});
