import { expect, it } from 'vitest';
import { CheckMessages } from '@/server/lab/server-checks/check-messages';

const message = {
  ...{
    isSent: false,
    stream: 1,
    afterMs: 3,
    typeUrl: 'type.googleapis.com/Cluster',
    version: '1',
    nonce: 'n',
  },
  ...{ names: ['c1'], removed: [], error: '' },
};

it('records at most 200 messages, 100 names of each, and 500 characters of a text, and counts the rest', () => {
  const messages = new CheckMessages();
  messages.add({ ...message, names: Array.from({ length: 150 }, (_, index) => `c${index}`) });
  messages.add({ ...message, nonce: 'n'.repeat(3_000_000) });
  for (let count = 2; count < 887; count += 1) messages.add(message);
  const { messages: kept, moreMessages } = messages.all;
  expect([kept.length, moreMessages]).toEqual([200, 687]);
  expect([kept[0]?.names.length, kept[0]?.moreNames]).toEqual([100, 50]);
  expect(kept[1]?.nonce.length).toBe(501);
  expect(kept[2]).toEqual(message);
});

it('records no secret of an error', () => {
  const messages = new CheckMessages();
  messages.add({ ...message, error: 'cannot read: password=x1y2z3w4' });
  expect(messages.all.messages[0]?.error).toBe('cannot read: password=[redacted]');
});
