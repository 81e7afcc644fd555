import { expect, it } from 'vitest';
import { deltaFeatureChecks } from '@/server/lab/server-checks/delta-feature-checks';
import { serverChecks } from '@/server/lab/server-checks/run-checks';
import { transportChecks } from '@/server/lab/server-checks/transport-checks';

it('has 53 checks with ids of their own, of which 28 change nothing', () => {
  expect(new Set(serverChecks.map(({ id }) => id)).size).toBe(53);
  expect(serverChecks.filter(({ changesConfig }) => !changesConfig)).toHaveLength(28);
});

it('states what an adapter must be able to do for features that a server need not have', () => {
  const features = [...deltaFeatureChecks, ...transportChecks].map(({ id, features: needed }) => [
    id,
    needed,
  ]);
  expect(features).toEqual([
    ['D17', ['heartbeats']],
    ['D18', ['aliases']],
    ['D19', ['errors']],
    ['T1', undefined],
    ['T2', undefined],
    ['T3', ['rest']],
  ]);
});

it('has the sentence of a specification with a link for each check', () => {
  for (const { id, source } of serverChecks) {
    expect(source.sentence, id).toMatch(/\.$/);
    expect(source.url, id).toMatch(/^https:\/\//);
  }
});
