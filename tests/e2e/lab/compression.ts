import { type IncomingHttpHeaders, request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { tokenHeaders } from '../../support/e2e-server';
import { findClient } from '../../support/e2e-story';
import { story } from '../../support/shared-lab';

interface Answer {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

let clientId: string;

/** Reads a body without decoding it, to its end or until `until` returns true. */
function get(path: string, accepted?: string, until?: (body: Buffer) => boolean): Promise<Answer> {
  const headers = {
    ...tokenHeaders(story.server.url),
    ...(accepted !== undefined && { 'accept-encoding': accepted }),
  };
  return new Promise((resolve, reject) => {
    const sent = request(story.server.url + path, { headers, agent: false }, (response) => {
      let body: Buffer = Buffer.alloc(0);
      response.on('data', (part: Buffer) => {
        body = Buffer.concat([body, part]);
        if (until?.(body) !== true) return;
        resolve({ headers: response.headers, body });
        sent.destroy();
      });
      response.on('end', () => resolve({ headers: response.headers, body }));
    });
    sent.on('error', reject).end();
  });
}

describe('on the wire', () => {
  beforeAll(async () => {
    clientId = (await findClient(story, 'shop-web')).id;
  });

  it('JSON and pages are compressed if the client accepts it', async () => {
    for (const path of [`/api/v1/clients/${clientId}`, '/api/v1/openapi.json', '/', '/metrics']) {
      const [packed, plain] = await Promise.all([get(path, 'gzip'), get(path)]);
      expect(packed.headers['content-encoding'], path).toBe('gzip');
      expect(packed.headers.vary?.toLowerCase(), path).toContain('accept-encoding');
      expect(plain.headers['content-encoding'], path).toBeUndefined();
      expect(plain.headers.vary?.toLowerCase(), path).toContain('accept-encoding');
      expect(gunzipSync(packed.body).length, path).toBeGreaterThan(packed.body.length);
    }
  });

  it('scripts are sent as the build has compressed them', async () => {
    const { body } = await get('/');
    const scripts = [...body.toString().matchAll(/<script[^>]* src="([^"]+)"/g)].map(([, src]) => src ?? '');
    expect(scripts.length).toBeGreaterThan(5);
    for (const path of [...scripts, '/generated/stream-worker.js']) {
      const [packed, plain] = await Promise.all([get(path, 'br'), get(path)]);
      expect(packed.headers.etag, path).toMatch(/^"[0-9a-f]{32}(?:-br)?"$/);
      if (plain.body.length <= 1024) continue;
      expect(packed.headers['content-encoding'], path).toBe('br');
      expect(brotliDecompressSync(packed.body).equals(plain.body), path).toBe(true);
    }
  });

  it('server-sent events are sent at once and uncompressed', async () => {
    const { headers, body } = await get('/api/v1/stream', 'gzip, br', (sofar) => sofar.includes('\n\n'));
    expect(headers['content-type']).toBe('text/event-stream; charset=utf-8');
    expect(headers['content-encoding']).toBeUndefined();
    expect(body.toString()).toMatch(/^(?:id|event|data|retry|:)/);
  });

  it('a recording is not compressed again', async () => {
    const { headers, body } = await get('/api/v1/export', 'gzip, br');
    expect(headers['content-encoding']).toBeUndefined();
    expect(headers['content-type']).toBe('application/octet-stream');
    expect(body.length).toBeGreaterThan(1_000);
  });
});
