import { expect, it } from 'vitest';
import { resourceRow } from '@/lib/api/schema';
import { foldObservation, type World } from '@/lib/observation/fold';
import { runSteps } from '@/lib/steps/steps';
import { buildResourceRows } from '@/lib/view-model/client/build-resource-rows';
import { formatRow } from '@/lib/view-model/client-resources/format-row';
import { numbered, sampleReport, sampleResource } from '../../support/observation-samples';

it('buildResourceRows() keeps the API version and the alias of a row', () => {
  const world: World = new Map();
  const marked = sampleResource({
    name: 'marked',
    apiVersion: 'v2',
    canonicalName: 'vhost/all',
    ambientError: { code: 'NOT_FOUND', details: 'gone', since: 1_000 },
  });
  const report = sampleReport({ changed: [marked, sampleResource({ name: 'plain' })] });
  for (const observation of numbered([report])) foldObservation(world, observation);
  const client = world.get('c1');
  if (client === undefined) throw new Error('no client');
  const live = () => ({ freshness: 'live' as const, reason: '', lastSeenAt: null });
  const [first, second] = runSteps(buildResourceRows(client, live)).map((row) =>
    resourceRow.parse(formatRow(row)),
  );
  expect(first).toMatchObject({
    apiVersion: 'v2',
    canonicalName: 'vhost/all',
    ambientError: { code: 'NOT_FOUND', details: 'gone', since: '1970-01-01T00:00:01.000Z' },
  });
  expect(second).not.toHaveProperty('apiVersion');
  expect(second).not.toHaveProperty('ambientError');
});
