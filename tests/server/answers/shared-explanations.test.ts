import { expect, it } from 'vitest';
import { parseRequest } from '@/lib/explain/parse-request';
import type { ExplainRequest } from '@/lib/requests/request';
import type { FleetExplanation } from '@/lib/views/explain/fleet-schema';
import { SharedExplanations } from '@/server/answers/explain-fleet/shared-explanations';
import { tempDataDir } from '../../support/recorder-temp-dir';
import { openTestState } from '../../support/test-state';

function requestOf(text: string): ExplainRequest {
  const parsed = parseRequest(text);
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.request;
}

const request = requestOf(
  "curl -H 'authorization: Bearer token-of-caller' -H 'x-color: blue' shop.example/cart",
);

function answerOf(more: Partial<FleetExplanation>): FleetExplanation {
  const { method, scheme, authority, path, headers } = request;
  return {
    ...{ at: 1_000, groups: [], groupsTotal: 0, explained: 2, total: 2, isComplete: true, configs: 1 },
    ...{ gone: 0, probes: 0, problems: [] },
    request: { method, scheme, authority, path, headers: headers.map(([name, value]) => [name, value]) },
    ...more,
  };
}

it('keeps an answer that later answers do not change, without credentials, also over a restart', async () => {
  const state = await openTestState(tempDataDir());
  let answer = answerOf({});
  const explainer = { find: async () => answer };
  const shared = new SharedExplanations({ explainer, state });
  const { id, url } = await shared.share({ request, q: 'zone=eu' });
  expect(url).toBe(`/p/explain/${id}`);
  const text = JSON.stringify(await shared.find(id));
  expect(text).toContain('"x-color","blue"');
  expect(text).not.toContain('token-of-caller');

  answer = answerOf({ at: 2_000, total: 3, explained: 3 });
  const other = await shared.share({ request, q: 'zone=eu' });
  expect(other.id).not.toBe(id);
  const again = new SharedExplanations({ explainer, state });
  expect(JSON.stringify(await again.find(id))).toBe(text);
  expect(JSON.parse(text)).toMatchObject({ id, q: 'zone=eu', explanation: { at: 1_000, total: 2 } });
  // The same answer has the same permalink.
  expect((await again.share({ request, q: 'zone=eu' })).id).toBe(other.id);
});

it('answers with the expected and the actual value if there is nothing that can be kept', async () => {
  const explainer = { find: async () => answerOf({ isComplete: false, explained: 1 }) };
  const shared = new SharedExplanations({ explainer, state: await openTestState(tempDataDir()) });
  await expect(shared.share({ request, q: '' })).rejects.toMatchObject({
    ...{ status: 409, detail: expect.stringContaining('expected all 2 clients to be explained, got 1') },
  });
  await expect(shared.find('nothing')).rejects.toMatchObject({
    ...{ status: 404, detail: 'no permalink has the id "nothing"' },
  });
});
