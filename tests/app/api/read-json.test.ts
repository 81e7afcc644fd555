import { describe, expect, it } from 'vitest';
import { readJson } from '@/app/api/v1/_handle';

const url = 'http://127.0.0.1/api/v1/sources';
const headers = { 'content-type': 'application/json' };

function post(body: string | ReadableStream<Uint8Array>): Request {
  return new Request(url, { method: 'POST', headers, body, ...{ duplex: 'half' } });
}

async function problemOf(answer: { readonly json: unknown } | Response): Promise<unknown> {
  return answer instanceof Response ? answer.json() : answer;
}

describe('readJson()', () => {
  it('reads a body that says how long it is, and one that does not', async () => {
    expect(await readJson(post('{"a":"ü"}'))).toEqual({ json: { a: 'ü' } });
    const bytes = new TextEncoder().encode('{"a":"ü"}');
    const inPieces = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
        controller.close();
      },
    });
    expect(await readJson(post(inPieces))).toEqual({ json: { a: 'ü' } });
  });

  it('rejects what is nested too deep, before it is parsed', async () => {
    const levels = 100_000;
    const answer = await readJson(post(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`), 2 * 1024 * 1024);
    expect(await problemOf(answer)).toMatchObject({
      status: 400,
      detail: 'body: expected at most 500 levels of nesting, got more',
    });
  });

  it('stops reading a body without end, and says 413', async () => {
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
    const answer = await readJson(post(endless), 64 * 1024);
    expect(await problemOf(answer)).toMatchObject({
      status: 413,
      detail: expect.stringMatching(/^expected at most 65536 bytes, got \d+/),
    });
    expect(isCancelled).toBe(true);
    expect(given).toBeLessThan(80 * 1024);
  });

  it('refuses a length that is told and too large without reading', async () => {
    const request = new Request(url, {
      method: 'POST',
      headers: { ...headers, 'content-length': '1000000000' },
      body: '{}',
    });
    expect(await problemOf(await readJson(request))).toMatchObject({ status: 413 });
  });

  it('says what is wrong with what is no JSON', async () => {
    expect(await problemOf(await readJson(post('{')))).toMatchObject({ status: 400 });
    expect(await problemOf(await readJson(post('')))).toMatchObject({ status: 400 });
    const form = new Request(url, { method: 'POST', body: new URLSearchParams({ kind: 'csds' }) });
    expect(await problemOf(await readJson(form))).toMatchObject({ status: 415 });
  });
});
