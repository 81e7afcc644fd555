import { expect, it } from 'vitest';
import { headersOf } from '@/lib/requests/request';

it.each([
  [[], 'http'],
  [['https'], 'https'],
  [['https', 'https'], 'https,https'],
])('Envoy matches x-forwarded-proto %j as %s (measured)', (sent, expected) => {
  const headers = sent.map((value) => ['X-Forwarded-Proto', value] as const);
  const request = { method: 'GET', scheme: 'http', authority: 'a', path: '/', headers } as const;
  expect(headersOf(request, 'envoy-1.40')('x-forwarded-proto')).toMatchObject({ first: expected });
});
