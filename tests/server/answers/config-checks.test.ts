import { expect, it } from 'vitest';
import { foldObservation, type World } from '@/lib/observation/fold';
import { CDS } from '@/lib/xds/resource-type';
import type { AskClient } from '@/server/answers/ask-client';
import { ConfigChecks } from '@/server/answers/issues/config-checks';
import { ApiError } from '@/server/api-error';
import { sampleReport } from '../../support/builders/observation-samples';
import { ManualClock } from '../../support/recorder-manual-clock';

/** Checks of clients whose config has a tear since `fromAt`. */
function checksOf(findTear: () => number | undefined, clientIds = ['c1']) {
  const clock = new ManualClock();
  const world: World = new Map();
  for (const [index, clientId] of clientIds.entries())
    foldObservation(world, { ...sampleReport({ clientId }), seq: index + 1 });
  let revision = 1;
  let asked = 0;
  const askClient = (async (name: string) => {
    if (name !== 'tears') return undefined;
    asked += 1;
    const fromAt = findTear();
    if (fromAt === undefined) return { items: [] };
    const impact = { outcome: 'fails', durationMs: 1, text: '' };
    const resources = [{ typeUrl: CDS.typeUrl, name: 'cart' }];
    return {
      items: [
        {
          kind: 'cluster-removed-in-use',
          fromAt,
          toAt: undefined,
          resources,
          a74: impact,
          preA74: impact,
        },
      ],
    };
  }) as unknown as AskClient;
  const checks = new ConfigChecks({ clock, live: { world, revisionOf: () => revision }, askClient });
  return {
    checks,
    clock,
    /** Returns what is known after the client has changed and was checked again. */
    async next() {
      revision += 1;
      clock.advance(10_000);
      await checks.find(undefined, clock.now());
      // The check runs in the background.
      await new Promise(setImmediate);
      clock.advance(10_000);
      return checks.find(undefined, clock.now());
    },
    asked: () => asked,
    now: () => clock.now(),
    idle: () => clock.advance(60_000),
  };
}

it('finds the tears of a client in the background, and keeps their onset', async () => {
  let fromAt: number | undefined;
  const { checks, next, now } = checksOf(() => fromAt);
  const since = now();
  expect(checks.progress).toEqual({ checked: 0, total: 1 });
  expect(await next()).toEqual([]);
  expect(checks.progress).toEqual({ checked: 1, total: 1 });
  fromAt = since;
  expect(await next()).toMatchObject([{ since, record: { cause: { kind: 'tear', name: 'cart' } } }]);
  // The part of the log that is read begins later than the tear.
  fromAt = since + 5_000;
  expect(await next()).toMatchObject([{ since }]);
  fromAt = undefined;
  expect(await next()).toEqual([]);
});

it('has nothing of a client that the log reports nothing of until a moment', async () => {
  const { checks, now } = checksOf(() => {
    throw new ApiError(404, 'Moment not found', 'at: the log reports nothing of the client');
  });
  expect(await checks.find('2026-11-26T20:54:30Z', now())).toEqual([]);
});

it('checks nothing if nobody asks', async () => {
  const { asked, next, idle } = checksOf(() => undefined);
  await next();
  const before = asked();
  idle();
  await new Promise(setImmediate);
  idle();
  expect(asked()).toBe(before);
});

it('checks the first clients without a pause', async () => {
  const { checks, clock, now } = checksOf(() => undefined, ['web', 'batch', 'edge']);
  await checks.find(undefined, now());
  for (const checked of [1, 2, 3]) {
    await new Promise(setImmediate);
    expect(checks.progress).toEqual({ checked, total: 3 });
    clock.advance(0);
  }
});
