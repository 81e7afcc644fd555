import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readHttpErrorText } from '@/server/transport/grpc/http-error-text';

describe('readHttpErrorText', () => {
  it.each([
    ['a text of several lines', 'no snapshot\n  for node "a"\n', 'no snapshot for node "a"'],
    ['JSON', '{"error": "unknown node"}', '{"error": "unknown node"}'],
    ['a web page', '<!DOCTYPE html><p>Sign in', ''],
    ['a web page without a doctype', ' <html><p>Sign in', ''],
    ['a bearer token', 'bad Authorization: Bearer abc123.def456', 'bad Authorization: Bearer [redacted]'],
    ['a quoted token', 'token "hunter2" is unknown', 'token "[redacted]" is unknown'],
    ['a secret of JSON', '{"client_secret":"hunter2"}', '{"client_secret":"[redacted]"}'],
  ])('of %s', (_, body, text) => expect(readHttpErrorText(Buffer.from(body))).toBe(text));

  it('of a compressed body is empty', () => {
    expect(readHttpErrorText(gzipSync('no snapshot'))).toBe('');
  });

  it('is limited to 1 kB, also within a character', () => {
    const text = readHttpErrorText(Buffer.from(`x${'é'.repeat(2_000)}`));
    expect(text).toBe(`x${'é'.repeat(511)}\ufffd`);
  });
});
