import { describe, expect, it } from 'vitest';
import { foldObservation, type World } from '@/lib/observation/fold';
import { newestMomentOf } from '@/server/answers/subjects/newest-moment';
import { importedClientIdOf } from '@/server/client-id';
import { numbered, sampleReport } from '../../../support/builders/observation-samples';
import { ManualClock } from '../../../support/recorder-manual-clock';

const imported = importedClientIdOf('day.xdscope', 'c1');

function world(at: number): World {
  const reported: World = new Map();
  const reports = [
    sampleReport({ at: at - 60_000, clientId: imported, sourceId: 'file:day.xdscope#csds', vantage: 'dump' }),
    sampleReport({ at, clientId: imported, sourceId: 'file:day.xdscope#lrs', vantage: 'dump' }),
    sampleReport({ at, clientId: 'c1' }),
  ];
  for (const observation of numbered(reports)) foldObservation(reported, observation);
  return reported;
}

describe('newestMomentOf()', () => {
  const clock = new ManualClock();
  const yearMs = 365 * 24 * 3_600_000;

  it('is where the recording of a file ends, which may be long ago', () => {
    const endedAt = clock.now() - yearMs;
    const nowOf = newestMomentOf(clock, (id) => world(endedAt).get(id));
    expect(nowOf(imported) - endedAt).toBeGreaterThanOrEqual(0);
    expect(nowOf(imported) - endedAt).toBeLessThanOrEqual(60_000);
  });

  it('is never later than now, and is now for all who live, and for all together', () => {
    const nowOf = newestMomentOf(clock, (id) => world(clock.now() - 1).get(id));
    expect(nowOf(imported)).toBe(clock.now());
    const long = newestMomentOf(clock, (id) => world(clock.now() - yearMs).get(id));
    expect([long('c1'), long(undefined), long('nobody')]).toEqual([clock.now(), clock.now(), clock.now()]);
  });
});
