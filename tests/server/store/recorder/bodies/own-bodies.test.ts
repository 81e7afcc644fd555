import { describe, expect, test } from 'vitest';
import type { Body } from '@/server/observe';
import { ownBodies } from '@/server/store/recorder/bodies/own-bodies';

const bodyOf = (hash: string, bytes: Uint8Array): Body => ({ hash, typeUrl: 'type', bytes });

describe('ownBodies', () => {
  test('views of a large message are copied into one buffer of their size', () => {
    const message = Uint8Array.from({ length: 100 }, (_, index) => index);
    const bodies = [bodyOf('a', message.subarray(10, 13)), bodyOf('b', message.subarray(40, 42))];
    const own = ownBodies(bodies);
    expect(own).toEqual(bodies);
    expect(own.map(({ bytes }) => bytes.buffer.byteLength)).toEqual([5, 5]);
    expect(own[0]?.bytes.buffer).toBe(own[1]?.bytes.buffer);
  });

  test('bodies of several buffers are copied into one', () => {
    const own = ownBodies([bodyOf('a', Uint8Array.of(1)), bodyOf('b', Uint8Array.of(2))]);
    expect(own.map(({ bytes }) => [...bytes])).toEqual([[1], [2]]);
    expect(own[0]?.bytes.buffer).toBe(own[1]?.bytes.buffer);
  });

  test('bodies that fill their buffer are not copied', () => {
    const packed = Uint8Array.of(1, 2, 3);
    const bodies = [bodyOf('a', packed.subarray(0, 1)), bodyOf('b', packed.subarray(1))];
    expect(ownBodies(bodies)).toBe(bodies);
    expect(ownBodies([])).toEqual([]);
  });
});
