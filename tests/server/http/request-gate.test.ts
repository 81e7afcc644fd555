import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { findRejection } from '@/server/http/request-gate';

function request(method: string, url: string, headers: Record<string, string>): IncomingMessage {
  const message = new IncomingMessage(new Socket());
  return Object.assign(message, { method, url, headers });
}

const local = { host: '127.0.0.1:3000' };
type Case = [string, string, string, Record<string, string>, number | undefined];
const cases: Case[] = [
  ['a page by IP address', 'GET', '/', local, undefined],
  ['a page by localhost', 'GET', '/', { host: 'LocalHost:3000' }, undefined],
  ['a page by IPv6 address', 'GET', '/', { host: '[::1]:3000' }, undefined],
  ['a page by an allowed name', 'GET', '/', { host: 'xdscope.example:80' }, undefined],
  ['a page by a foreign name (DNS rebinding)', 'GET', '/', { host: 'evil.example:3000' }, 421],
  ['a request without Host', 'GET', '/', {}, 421],
  ['a read from another site', 'GET', '/api/v1/clients', { ...local, origin: 'http://evil.example' }, 403],
  ['a write by curl', 'POST', '/api/v1/sources', local, undefined],
  [
    'a write from our own page',
    'POST',
    '/api/v1/sources',
    { ...local, origin: 'http://127.0.0.1:3000' },
    undefined,
  ],
  [
    'a write from another port',
    'POST',
    '/api/v1/sources',
    { ...local, origin: 'http://127.0.0.1:4000' },
    403,
  ],
  [
    'a write from another site',
    'DELETE',
    '/api/v1/sources/x',
    { ...local, origin: 'https://evil.example' },
    403,
  ],
  ['a write from an opaque origin', 'POST', '/api/v1/sources', { ...local, origin: 'null' }, 403],
  ['a write marked cross-site', 'POST', '/api/v1/sources', { ...local, 'sec-fetch-site': 'cross-site' }, 403],
  [
    'a stream from another site',
    'GET',
    '/api/v1/stream?topics=fleet',
    { ...local, origin: 'http://evil.example' },
    403,
  ],
  [
    'a stream from another site, by a way around',
    'GET',
    '/x/../api/v1/stream',
    { ...local, origin: 'http://evil.example' },
    403,
  ],
  ['a stream marked cross-site', 'GET', '/api/v1/stream', { ...local, 'sec-fetch-site': 'cross-site' }, 403],
  [
    'an expensive read of a page of another site',
    'GET',
    '/api/v1/export/estimate',
    { ...local, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' },
    403,
  ],
  [
    'an expensive read by a link on another site',
    'GET',
    '/api/v1/export',
    { ...local, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
    403,
  ],
  [
    'the HEAD of an expensive read of another site',
    'HEAD',
    '/api/v1//churn/',
    { ...local, 'sec-fetch-site': 'cross-site' },
    403,
  ],
  [
    'an expensive read of another origin, of a browser that sends Origin alone',
    'GET',
    '/api/v1/churn',
    { ...local, origin: 'http://evil.example' },
    403,
  ],
  [
    'an expensive read of the same site',
    'GET',
    '/api/v1/export',
    { ...local, 'sec-fetch-site': 'same-site' },
    undefined,
  ],
  [
    'an expensive read of our own page',
    'GET',
    '/api/v1/load/series',
    { ...local, 'sec-fetch-site': 'same-origin' },
    undefined,
  ],
  [
    'an expensive read that somebody typed',
    'GET',
    '/api/v1/export',
    { ...local, 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' },
    undefined,
  ],
  ['an expensive read by curl', 'GET', '/api/v1/export', local, undefined],
  ...[
    '/api/v1/search?q=a',
    '/api/v1/fleet',
    '/api/v1/holders',
    '/api/v1/nacks',
    '/api/v1/health',
    '/metrics',
  ].map(
    (target): Case => [
      `a link of another site to ${target}`,
      'GET',
      target,
      {
        ...local,
        'sec-fetch-site': 'cross-site',
        'sec-fetch-mode': 'navigate',
        'sec-fetch-dest': 'document',
      },
      403,
    ],
  ),
  [
    'a link of another site to a page',
    'GET',
    '/history',
    { ...local, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
    undefined,
  ],
  [
    'a page that another site frames',
    'GET',
    '/history',
    { ...local, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' },
    403,
  ],
  [
    'a page that another site requests as an image',
    'GET',
    '/history',
    { ...local, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' },
    403,
  ],
  [
    'a stream from our own page',
    'GET',
    '/api/v1/stream',
    { ...local, 'sec-fetch-site': 'same-origin' },
    undefined,
  ],
];

describe('findRejection()', () => {
  for (const [what, method, url, headers, status] of cases) {
    it(`${status === undefined ? 'lets pass' : `answers ${status} to`} ${what}`, () => {
      const rejection = findRejection(request(method, url, headers), { allowedHosts: ['xdscope.example'] });
      expect(rejection?.status).toBe(status);
    });
  }
});
