import { expect, it } from 'vitest';
import { readPayloadTexts } from '@/server/live/search/payload-texts';

const read = (json: unknown) => {
  const { addresses, domains } = readPayloadTexts(json);
  return [[...addresses], [...domains]];
};

it.each([
  [{ address: { socketAddress: { address: '10.0.0.1', portValue: 80 } } }, ['10.0.0.1:80'], []],
  [{ address: { socketAddress: { address: '::1', portValue: 80 } } }, ['[::1]:80'], []],
  [{ address: { socketAddress: { address: 'db', namedPort: 'pg' } } }, ['db'], []],
  [{ virtualHosts: [{ name: 'v', domains: ['a', '*'] }] }, [], ['a', '*']],
  [{ domains: ['no virtual host'] }, [], []],
  [{ socketAddress: 'text' }, [], []],
  [null, [], []],
])('the texts of %j', (json, addresses, domains) => {
  expect(read(json)).toEqual([addresses, domains]);
});

it('limits the texts of a payload', () => {
  const many = Array.from({ length: 30_000 }, (_, at) => ({
    socketAddress: { address: `h${at}`, portValue: 1 },
  }));
  expect(readPayloadTexts(many).addresses.size).toBe(20_000);
});
