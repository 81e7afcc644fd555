import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RawAnswer } from '@/server/transport/grpc/raw-answer';

function received(bytes: Buffer, cuts: readonly number[]): RawAnswer {
  let complete: RawAnswer | undefined;
  const answer = new RawAnswer(bytes.length, (reported) => {
    complete = reported;
  });
  let from = 0;
  for (const to of [...cuts, bytes.length]) {
    // The buffer of a read is reused.
    const part = Buffer.from(bytes.subarray(from, to));
    answer.write(part);
    part.fill(0xff);
    from = to;
  }
  answer.end();
  expect(complete).toBe(answer);
  return answer;
}

const block = 64 * 1024;

describe('RawAnswer', () => {
  it('returns the received bytes, wherever the pieces end and whether or not others were released before', () => {
    const size = fc.oneof(
      fc.nat(200),
      fc.integer({ min: block - 2, max: block + 2 }),
      fc.constant(3 * block),
    );
    const cuts = fc.array(fc.nat(3 * block), { maxLength: 5 });
    fc.assert(
      fc.property(size, fc.nat(255), cuts, fc.boolean(), (sizeBytes, seed, places, isReleased) => {
        const bytes = Buffer.from(Array.from({ length: sizeBytes }, (_, index) => (index * 31 + seed) % 256));
        const answer = received(
          bytes,
          places.filter((place) => place <= sizeBytes).sort((a, b) => a - b),
        );
        expect(answer.digest).toBe(createHash('sha256').update(bytes).digest('hex'));
        if (isReleased) answer.release();
        else expect(answer.take().equals(bytes)).toBe(true);
      }),
    );
  });

  it('is not changed by later answers', () => {
    const first = received(Buffer.alloc(1_000, 1), []);
    const taken = first.take();
    received(Buffer.alloc(1_000, 2), []).release();
    const second = received(Buffer.alloc(1_000, 3), []);
    const third = received(Buffer.alloc(1_000, 4), []);
    expect([taken[0], second.take()[0], third.take()[0]]).toEqual([1, 3, 4]);
  });
});
