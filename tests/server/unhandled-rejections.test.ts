import { expect, it } from 'vitest';
import { UnhandledRejections } from '@/server/unhandled-rejections';

it('counts rejections and keeps the newest, shortened and without private keys', () => {
  const rejections = new UnhandledRejections();
  expect(rejections.facts).toEqual({ count: 0, lastMessage: '' });
  rejections.note(new RangeError(`${'x'.repeat(1_000)}`), 1);
  expect(rejections.facts).toEqual({ count: 1, lastAt: 1, lastMessage: `RangeError: ${'x'.repeat(188)}…` });
  rejections.note('-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----', 2);
  expect(rejections.facts).toMatchObject({ count: 2, lastAt: 2 });
  expect(rejections.facts.lastMessage).not.toContain('MIIB');
});
