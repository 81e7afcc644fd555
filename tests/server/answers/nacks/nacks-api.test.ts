import { afterAll, expect, it } from 'vitest';
import { NackIndex } from '@/lib/nacks/nack-index';
import type { Observation } from '@/lib/observation/observation';
import { type NacksQuery, nacksQuery } from '@/lib/views/nacks/schema';
import { NacksApi } from '@/server/answers/nacks/nacks-api';
import { noSettings } from '@/server/answers/subjects/known-settings';
import { createCodec } from '@/server/codec/codec';
import { openWholeRecorder } from '@/tests/support/open-recorder';
import { sampleReport, sampleResource } from '../../../support/builders/observation-samples';

const recorder = await openWholeRecorder();
const codec = createCodec({ redactionKey: new Uint8Array(32) });
afterAll(async () => {
  await codec.close();
  await recorder.close();
});

const report = (
  clientId: string,
  name: string,
  clientStatus: 'ACKED' | 'NACKED',
  at: number,
): Observation => {
  const errorState = { details: `bad ${name}`, versionInfo: '', lastUpdateAttempt: at, failedHash: null };
  const row = sampleResource({
    name,
    clientStatus,
    errorState: clientStatus === 'NACKED' ? errorState : null,
  });
  return sampleReport({ clientId, at, changed: [{ ...row, lastUpdated: at }] });
};
const end = (clientId: string, at: number): Observation => ({
  ...{ kind: 'client-gone', at, vantage: 'csds', sourceId: 'csds:a:1', clientId },
  ...{ side: 'client', reason: 'it is not reported any more' },
});

it('lists open NACKs, then those of terminated clients, which can be hidden, then resolved ones', async () => {
  const book = new NackIndex({ idOf: (key) => Buffer.from(key).toString('hex').slice(-20, -4) });
  const observations = [
    ...[report('a', 'open', 'NACKED', 1_000), report('b', 'open', 'NACKED', 1_000), end('b', 2_000)],
    ...[report('c', 'left', 'NACKED', 3_000), end('c', 4_000)],
    ...[report('d', 'resolved', 'NACKED', 5_000), report('d', 'resolved', 'ACKED', 6_000)],
  ];
  for (const [index, observation] of observations.entries()) book.fold({ ...observation, seq: index + 1 });
  const api = new NacksApi({
    ...{ live: { world: new Map() }, recorder, codec, findSettings: () => noSettings },
    validate: { validateBodies: async () => () => undefined },
    listResources: async () => undefined,
    nacks: { book, isRestoring: false, since: null },
    clock: { now: () => 6_000 },
  });
  const list = async (query: Record<string, string>): Promise<string[]> => {
    const { items } = await api.list(nacksQuery.parse(query) satisfies NacksQuery);
    return items.map(({ name, state }) => `${name} ${state}`);
  };
  expect(await list({})).toEqual(['open open', 'left open', 'resolved resolved']);
  expect(await list({ terminated: 'hide' })).toEqual(['open open', 'resolved resolved']);
  expect(await list({ state: 'open' })).toEqual(['open open', 'left open']);
  expect(await list({ state: 'open', terminated: 'hide' })).toEqual(['open open']);

  const { counts, items, next } = await api.list(nacksQuery.parse({ limit: '2' }));
  expect(counts).toEqual({ open: 1, terminated: 1, resolved: 1 });
  expect(items.map(({ clients }) => clients)).toMatchObject([
    { total: 2, open: 2, terminated: 1 },
    { total: 1, open: 1, terminated: 1 },
  ]);
  expect(await list({ cursor: next ?? '' })).toEqual(['resolved resolved']);
});
