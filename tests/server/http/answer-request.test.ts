import { expect, it } from 'vitest';
import { otherQuestions } from '@/lib/questions/questions';
import type { Ask } from '@/server/answers/ask';
import type { AskClient } from '@/server/answers/ask-client';
import { createAnswerRequest } from '@/server/http/answer-request';

const name = 'n'.repeat(20_000);
const cut = /^n{1000}… \[cut: 20,000 characters, SHA-256 [0-9a-f]{12}\]$/;

function answer(path: string, found: unknown): Promise<Response> {
  const answerRequest = createAnswerRequest({
    ask: (async () => found) as Ask,
    askClient: (async () => found) as AskClient,
    findRowsTag: () => 'W/"1"',
  });
  return answerRequest(new Request(`http://localhost/api/v1/${path}`), path.split('/'));
}

it.each(['fleet', 'clients/0/graph', 'clients/0/resources', 'permalinks/0/resources'])(
  'cuts long texts in the answer to %s',
  async (path) => {
    expect(await (await answer(path, { items: [{ name }] })).json()).toEqual({
      items: [{ name: expect.stringMatching(cut) }],
    });
  },
);

it('sends the Response of an answer function as it is', async () => {
  expect(await (await answer('fleet', new Response(name))).text()).toBe(name);
});

it.each(Object.keys(otherQuestions))('finds the question %s by its path', async (path) => {
  const answerRequest = createAnswerRequest({
    ask: (async (found: string) => ({ found })) as Ask,
    askClient: (() => Promise.reject(new Error('expected another question'))) as AskClient,
    findRowsTag: () => undefined,
  });
  const url = path.replaceAll(/[{}]/g, '');
  const response = await answerRequest(new Request(`http://localhost/api/v1/${url}`), url.split('/'));
  expect(await response.json()).toEqual({ found: path });
});
