import { describe, expect, it } from 'vitest';
import { problemDetails } from '@/lib/views/fields/problem';
import { operations } from '@/server/answers/openapi/openapi';
import { fetchApi } from '../../support/e2e-server';
import { story } from '../../support/shared-lab';
import { type Ask, called, problem } from './contract/operations';

// The last test expects that the others have called each operation.
import './contract/recording';
import './contract/client';
import './contract/fleet';
import './contract/administration';

describe('the HTTP API of a running server', () => {
  it('sends security headers with every answer', async () => {
    const policy = /^default-src 'self';.*frame-ancestors 'none'$/;
    for (const path of ['/', '/api/v1/health', '/api/v1/nothing', '/icon.svg']) {
      const { headers } = await fetchApi(story.server.url + path);
      expect(headers.get('content-security-policy'), path).toMatch(policy);
      expect(headers.get('x-content-type-options'), path).toBe('nosniff');
      expect(headers.get('referrer-policy'), path).toBe('same-origin');
    }
  });

  it('begins the stream with a hello event', async () => {
    const aborter = new AbortController();
    const response = await fetchApi(`${story.server.url}/api/v1/stream?topics=fleet`, {
      signal: aborter.signal,
    });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    const first = await response.body?.getReader().read();
    expect(Buffer.from(first?.value ?? '').toString('utf8')).toMatch(/^event: hello\ndata: \{/);
    aborter.abort();
    called.add('get /stream');
  });

  it('has called every operation of the document', () => {
    const all = operations.map(({ method, path: route }) => `${method} ${route}`);
    expect(all.filter((name) => !called.has(name))).toEqual([]);
  });

  it.each([
    ['get /clients/{id}', 404, { parameters: ['0000000000000000'] }],
    ['get /clients/{id}/graph', 404, { parameters: ['%'] }],
    ['get /clients/{id}/resolved', 404, { parameters: ['nobody'] }],
    ['get /clients/{id}/resolved', 400, { parameters: ['nobody'], query: { profile: 'istio' } }],
    ['get /clients/{id}/resolved', 400, { parameters: ['nobody'], query: { target: 'a', listener: 'b' } }],
    ['get /clients/{id}/witnesses', 404, { parameters: ['nobody'] }],
    ['get /clients/{id}/tears', 404, { parameters: ['nobody'] }],
    ['get /clients/{id}/explain', 400, { parameters: ['nobody'], query: { request: 'a b c' } }],
    ['get /clients/{id}/explain', 404, { parameters: ['nobody'], query: { request: 'a' } }],
    ['get /clients/{id}/explain', 400, { parameters: ['nobody'], query: { request: 'a', source: 'b' } }],
    ['get /explain', 400, { query: { request: 'a b c' } }],
    ['post /explain/share', 400, { body: { scheme: 'ftp' } }],
    ['get /explain-permalinks/{id}', 404, { parameters: ['nothing'] }],
    ['post /explain', 400, { body: { scheme: 'ftp' } }],
    ['post /clients/{id}/explain', 404, { parameters: ['nobody'], body: {} }],
    ['post /clients/{id}/prove', 400, { parameters: ['nobody'], body: { request: { authority: 'a\r\nb' } } }],
    ['post /clients/{id}/prove', 404, { parameters: ['nobody'], body: { request: { authority: 'a' } } }],
    ['get /clients/{id}/lb-tree', 400, { parameters: ['nobody'], query: { profile: 'ruby' } }],
    ['get /clients/{id}/failovers', 404, { parameters: ['nobody'] }],
    ['post /failover/simulate', 400, { body: { client: 'nobody', seconds: -1 } }],
    ['post /failover/simulate', 404, { body: { permalink: 'nobody' } }],
    ['get /clients/{id}/references', 400, { parameters: ['nobody'] }],
    ['get /permalinks/{id}/resolved', 404, { parameters: ['nobody'] }],
    ['get /permalinks/{id}/references', 400, { parameters: ['nobody'] }],
    ['get /clients/{id}/links', 400, { parameters: ['0000000000000000'] }],
    ['get /resources/{hash}', 400, { parameters: ['abc'] }],
    ['get /resources/{hash}', 404, { parameters: ['0'.repeat(64)] }],
    ['get /permalinks/{id}', 404, { parameters: ['../..'] }],
    ['get /stream', 400, { query: { topics: 'fleet,nope' } }],
    ['post /sources', 415, {}],
    ['post /sources', 400, { body: { kind: 'csds', target: 'unix:/run/x' } }],
    ['post /sources', 413, { body: { label: 'x'.repeat(300_000) } }],
    ['delete /sources', 409, { query: { id: 'lrs:lab' } }],
    ['post /permalinks', 404, { body: { clientId: '__proto__' } }],
    ['post /lab/assignments/{name}', 404, { parameters: ['nobody'], body: { weight: 1 } }],
    ['post /lab/assignments/{name}', 400, { parameters: ['cart'], body: { priority: 0, dropPercent: 1 } }],
    ['post /lab/assignments/{name}', 400, { parameters: ['cart'], body: { zone: 'nowhere', weight: 1 } }],
    ['post /lab/faults/{name}', 404, { parameters: ['%zz'], body: { active: true } }],
    ['post /validate', 400, { query: { profile: 'nginx' }, body: { typeUrl: 'x', resource: {} } }],
    ['post /validate', 400, { body: { typeUrl: 'acme.Nothing', resource: {} } }],
    ['post /descriptor-sets', 415, { body: {} }],
    ['post /descriptor-sets', 400, { bytes: Buffer.from('no set') }],
    ['delete /descriptor-sets/{id}', 404, { parameters: ['nobody'] }],
    ['put /lab/resources', 400, { body: { typeUrl: 'x', resource: {}, valueBase64: '' } }],
  ] satisfies [string, number, Ask][])('answers %s with %i as problem JSON', async (name, status, ask) => {
    expect(await problem(name, status, ask)).not.toBe('');
  });

  it.each([
    ['PUT', '/api/v1/health', 405],
    ['PROPFIND', '/api/v1/sources', 405],
    ['GET', '/api/v1/sources/%zz', 400],
    ['GET', '/api/v1/nope', 404],
    ['GET', '/api/v2', 404],
    ['POST', '/clients', 405],
  ])('answers %s %s with %i as problem JSON', async (method, url, status) => {
    const response = await fetchApi(`${story.server.url}${url}`, { method });
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(problemDetails.parse(await response.json()).status).toBe(status);
    expect(response.status).toBe(status);
    expect(response.headers.has('allow')).toBe(status === 405);
  });
});
