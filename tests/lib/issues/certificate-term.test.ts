import { expect, it } from 'vitest';
import { judgeTerm } from '@/lib/issues/certificate-term';

const hour = 3_600_000;
const day = 24 * hour;

it.each([
  ['a day with 6 hours left', { lifetime: day, left: 6 * hour }, 'valid'],
  ['a day with 4 hours left', { lifetime: day, left: 4 * hour }, 'due 48min ago'],
  ['90 days with 20 days left', { lifetime: 90 * day, left: 20 * day }, 'valid'],
  // A fifth of 90 days is 18 days, and 14 days are less.
  ['90 days with 15 days left', { lifetime: 90 * day, left: 15 * day }, 'valid'],
  ['90 days with 13 days left', { lifetime: 90 * day, left: 13 * day }, 'due 1440min ago'],
  // A fifth of 10 days is 2 days.
  ['10 days with 3 days left', { lifetime: 10 * day, left: 3 * day }, 'valid'],
  ['10 days with a day left', { lifetime: 10 * day, left: day }, 'due 1440min ago'],
  ['a lifetime that is not reported, with an hour left', { left: hour }, 'valid'],
  ['a lifetime that is not reported, expired', { left: -hour }, 'expired 60min ago'],
  ['the moment of the expiry', { lifetime: day, left: 0 }, 'expired 0min ago'],
  ['an expiry that is not reported', {}, 'valid'],
] as [string, { lifetime?: number; left?: number }, string][])(
  'judges %s',
  (_title, { lifetime, left }, expected) => {
    const now = 1_000 * day;
    const expiresAt = left === undefined ? undefined : now + left;
    const validFrom = lifetime === undefined || expiresAt === undefined ? undefined : expiresAt - lifetime;
    const judged = judgeTerm({ validFrom, expiresAt }, now);
    const word = judged?.isExpired ? 'expired' : 'due';
    const text =
      judged === undefined ? 'valid' : `${word} ${Math.round((now - judged.from) / 60_000)}min ago`;
    expect(text).toBe(expected);
  },
);
