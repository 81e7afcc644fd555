import { describe, expect, it } from 'vitest';
import { operations } from '@/server/answers/openapi/openapi';
import { findMisroute } from '@/server/http/find-misroute';

const options = { operations, dev: false };

const cases: [what: string, method: string, url: string, status: number | undefined][] = [
  ['an operation', 'GET', '/api/v1/health', undefined],
  ['HEAD where there is GET', 'HEAD', '/api/v1/health', undefined],
  ['a parameter with escapes', 'PATCH', '/api/v1/sources/csds%3A127.0.0.1%3A1', undefined],
  ['a query', 'GET', '/api/v1/stream?topics=fleet', undefined],
  ['a slash at the end, which Next redirects', 'GET', '/api/v1/health/', undefined],
  ['a method that the path does not have', 'PUT', '/api/v1/health', 405],
  ['a method that no path has', 'PROPFIND', '/api/v1/sources', 405],
  ['TRACE', 'TRACE', '/api/v1/health', 405],
  ['nothing of that name', 'GET', '/api/v1/nope', 404],
  ['the base', 'GET', '/api/v1', 404],
  ['another version', 'GET', '/api/v2/health', 404],
  ['an escape that is none', 'GET', '/api/v1/sources/%zz', 400],
  ['bytes that are no UTF-8', 'GET', '/clients/%ff', 400],
  ['dots that lead to an operation', 'PUT', '/x/../api/v1/health', 405],
  ['a page', 'GET', '/clients', undefined],
  ['a POST to a page, as of a server action', 'POST', '/clients', 405],
  ['a file of a page', 'GET', '/_next/static/chunks/a.js', undefined],
  ['the image optimizer', 'GET', '/_next/image?url=%2Fapi%2Fv1%2Fexport%231&w=640&q=75', 404],
  ['the image optimizer, with escapes', 'GET', '//%5fnext/./%69mage/?url=%2Fmetrics', 404],
  ['data of a page of the pages router', 'GET', '/_next/data/build/api/v1/export.json', 404],
];

describe('findMisroute()', () => {
  it.each(cases)('%s: %s %s -> %s', (_what, method, url, status) => {
    expect(findMisroute({ method, url }, options)?.status).toBe(status);
  });

  it('names the methods that there are', () => {
    expect(findMisroute({ method: 'PUT', url: '/api/v1/sources' }, options)).toMatchObject({
      detail: '/api/v1/sources: expected GET, POST, DELETE, HEAD, OPTIONS, got PUT',
      allow: 'GET, POST, DELETE, HEAD, OPTIONS',
    });
  });

  it('lets the tools of a development server pass, but not the image optimizer', () => {
    const dev = { ...options, dev: true };
    const request = { method: 'POST', url: '/__nextjs_original-stack-frames' };
    expect(findMisroute(request, dev)).toBeUndefined();
    expect(findMisroute({ url: '/_next/webpack-hmr' }, dev)).toBeUndefined();
    expect(findMisroute({ url: '/_next/image?url=%2Fmetrics' }, dev)?.status).toBe(404);
  });
});
