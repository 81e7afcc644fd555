import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { ApiError } from '@/server/api-error';
import { readBody } from '@/server/http/read-body';

const url = 'http://127.0.0.1/api/v1/sources';
const headers = { 'content-type': 'application/json' };

function post(body: string | ReadableStream<Uint8Array>): Request {
  return new Request(url, { method: 'POST', headers, body, ...{ duplex: 'half' } });
}

const readJson = (request: Request, maxBytes?: number): Promise<unknown> =>
  readBody(request, { body: z.unknown(), ...(maxBytes !== undefined && { maxBytes }) });

async function problemOf(answer: Promise<unknown>): Promise<unknown> {
  const error: unknown = await answer.then(
    () => new Error('expected an error'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof ApiError)) throw error;
  return error;
}

describe('readBody()', () => {
  it('reads a body with and without a Content-Length', async () => {
    expect(await readJson(post('{"a":"ü"}'))).toEqual({ a: 'ü' });
    const bytes = new TextEncoder().encode('{"a":"ü"}');
    const inPieces = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
        controller.close();
      },
    });
    expect(await readJson(post(inPieces))).toEqual({ a: 'ü' });
  });

  it('rejects JSON that is nested too deeply before it is parsed', async () => {
    const levels = 100_000;
    const answer = readJson(post(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`), 2 * 1024 * 1024);
    expect(await problemOf(answer)).toMatchObject({
      status: 400,
      detail: 'body: expected at most 500 levels of nesting, got 100000',
    });
  });

  it('stops reading an endless body, and answers 413', async () => {
    let given = 0;
    let isCancelled = false;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        given += 1024;
        controller.enqueue(new Uint8Array(1024));
      },
      cancel() {
        isCancelled = true;
      },
    });
    const answer = readJson(post(endless), 64 * 1024);
    expect(await problemOf(answer)).toMatchObject({
      status: 413,
      detail: expect.stringMatching(/^expected at most 65536 bytes, got \d+/),
    });
    expect(isCancelled).toBe(true);
    expect(given).toBeLessThan(80 * 1024);
  });

  it('rejects a Content-Length that is too large without reading the body', async () => {
    const request = new Request(url, {
      method: 'POST',
      headers: { ...headers, 'content-length': '1000000000' },
      body: '{}',
    });
    expect(await problemOf(readJson(request))).toMatchObject({ status: 413 });
  });

  it('states what is expected where the body is not JSON', async () => {
    expect(await problemOf(readJson(post('{')))).toMatchObject({ status: 400 });
    expect(await problemOf(readJson(post('')))).toMatchObject({ status: 400 });
    const form = new Request(url, { method: 'POST', body: new URLSearchParams({ kind: 'csds' }) });
    expect(await problemOf(readJson(form))).toMatchObject({
      status: 415,
      detail: 'expected application/json, got "application/x-www-form-urlencoded;charset=UTF-8"',
    });
  });

  it('returns the bytes of a body of a listed media type, whatever its parameters and case', async () => {
    const mediaTypes = ['text/yaml', 'text/plain', 'application/json'];
    const send = (contentType: string) =>
      readBody(new Request(url, { method: 'POST', body: 'a: 1', headers: { 'content-type': contentType } }), {
        mediaTypes,
      });
    const contentType = 'Text/YAML; charset=utf-8';
    expect(await send(contentType)).toEqual({ bytes: Buffer.from('a: 1'), contentType });
    expect(await problemOf(send('text/plainer'))).toMatchObject({
      status: 415,
      detail: 'expected text/yaml, text/plain or application/json, got "text/plainer"',
    });
  });

  it('does not read a body that the command does not expect', async () => {
    const request = post('{');
    expect(await readBody(request, {})).toBeUndefined();
    expect(request.bodyUsed).toBe(false);
  });
});
