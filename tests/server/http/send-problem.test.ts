import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { type Problem, sendProblem } from '@/server/http/problem-json';

async function answerOf(problem: Problem): Promise<Response> {
  const server = createServer((_, response) => sendProblem(response, problem));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    const response = await fetch(`http://127.0.0.1:${port}`);
    return new Response(await response.text(), response);
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}

describe('sendProblem()', () => {
  it('masks the part of the detail that is a secret', async () => {
    const detail = 'cannot dial https://app:hunter2hunter2@db.example/x: connection refused';
    const answer = await answerOf({ status: 502, title: 'Not reached', detail });
    expect(answer.status).toBe(502);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(await answer.json()).toEqual({
      type: 'about:blank',
      title: 'Not reached',
      status: 502,
      detail: 'cannot dial https://[redacted]@db.example/x: connection refused',
    });
  });

  it('leaves any other detail as it is', async () => {
    const detail = 'limit: expected a number from 1 to 1000, got "x"';
    const answer = await answerOf({ status: 400, title: 'Bad request', detail });
    expect(await answer.json()).toMatchObject({ detail });
  });

  it('names the methods that there are', async () => {
    const answer = await answerOf({ status: 405, title: 'No', detail: 'GET alone', allow: 'GET' });
    expect(answer.headers.get('allow')).toBe('GET');
  });
});
