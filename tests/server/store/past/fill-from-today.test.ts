import { expect, test } from 'vitest';
import { fillFromToday } from '@/server/store/past/fill-from-today';
import { clientStateOf, resourceOf } from '../../../support/builders/recorder-emissions';

const namesIn = (client: ReturnType<typeof fillFromToday>) =>
  [...(client?.reports.values() ?? [])].flatMap(({ resources }) =>
    [...resources.values()].map(({ name }) => name),
  );

test('fillFromToday adds rows that have not changed since, and no later ones', () => {
  const today = clientStateOf('c', 9, [
    resourceOf('old', { changedAt: 10 }),
    resourceOf('young', { changedAt: 30 }),
    resourceOf('known', { changedAt: 10, versionInfo: 'today' }),
  ]);
  const then = clientStateOf('c', 4, [resourceOf('known', { changedAt: 5, versionInfo: 'then' })]);
  expect(namesIn(fillFromToday(then, today, 20))).toEqual(['known', 'old']);
  expect(namesIn(fillFromToday(undefined, today, 20))).toEqual(['old', 'known']);
  expect(fillFromToday(then, today, 20)?.seq).toBe(4);
});

test('fillFromToday adds nothing of a client that was first seen later', () => {
  expect(fillFromToday(undefined, clientStateOf('c', 9, []), 0)).toBeUndefined();
});
