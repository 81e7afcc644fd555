import { deflateSync, inflateSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { deflateBytes, inflateBytes } from '@/server/store/deflate';

it.each([0, 1, 63, 1_000, 1_023, 1_024, 16_384, 32_768, 500_000])('deflates %d bytes', (length) => {
  const repeated = Buffer.from(Array.from({ length }, (_, at) => (at * at) % 251));
  const random = Buffer.from(Array.from({ length }, () => Math.floor(Math.random() * 256)));
  for (const bytes of [repeated, random]) {
    const deflated = deflateBytes(bytes);
    // Any window of zlib, and how a snapshot is recognised as deflated.
    expect([...deflated.subarray(0, 2)]).toEqual([0x78, 0x01]);
    expect(inflateSync(deflated, { windowBits: 15 }).equals(bytes)).toBe(true);
    expect(inflateBytes(deflated).equals(bytes)).toBe(true);
    expect(deflated.length).toBeLessThanOrEqual(deflateSync(bytes, { level: 1 }).length + bytes.length / 100);
    if (bytes === random) expect(deflated.length).toBe(deflateSync(bytes, { level: 1 }).length);
  }
});

it('deflates a text as its UTF-8', () => {
  const text = 'Ünï'.repeat(400);
  expect(inflateBytes(deflateBytes(text)).toString()).toBe(text);
});
