import { describe, expect, it } from 'vitest';
import { truncateLongTexts } from '@/server/answers/truncate-long-texts';

const long = 'n'.repeat(1_048_576);
const cut = /^n{1000}… \[cut: 1,048,576 characters, SHA-256 [0-9a-f]{12}\]$/;

describe('truncateLongTexts()', () => {
  it('returns an answer without long texts as it is', () => {
    const answer = { items: [{ name: 'n'.repeat(16_384), at: null, bytes: new Uint8Array(3) }], total: 1 };
    expect(truncateLongTexts(answer)).toBe(answer);
  });

  it('cuts values, keys and nested texts', () => {
    const answer = truncateLongTexts({ items: [[{ name: long, by: { [long]: 1 } }]], next: 'x' });
    expect(answer).toEqual({
      items: [[{ name: expect.stringMatching(cut), by: expect.anything() }]],
      next: 'x',
    });
    expect(Object.keys(answer.items[0]?.[0]?.by ?? {})).toEqual([expect.stringMatching(cut)]);
  });

  it('keeps equal texts equal, and others different', () => {
    const [one, other, same] = truncateLongTexts([`${long}a`, `${long}b`, `${long}a`]);
    expect(one).toBe(same);
    expect(one).not.toBe(other);
  });

  it('does not modify the answer', () => {
    const given = { name: long };
    truncateLongTexts(given);
    expect(given.name).toBe(long);
  });
});
