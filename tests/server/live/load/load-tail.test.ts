import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { formatIsoTime } from '@/lib/format/iso-time';
import { extendSeries, tailBegin } from '@/lib/views/load/extend-series';
import { loadSeriesQuery } from '@/lib/views/load/query';
import { type LoadSeriesAnswer, loadSeriesAnswer } from '@/lib/views/load/schema';
import { LoadApi } from '@/server/answers/load/load-api';
import { seededRandom } from '@/server/lab/random';
import { LoadRecorder } from '@/server/live/load/load-recorder';
import { clusterLoad, loadReported, localityLoad } from '../../../support/builders/load-samples';
import { ManualClock } from '../../../support/recorder-manual-clock';
import { tempDataDir } from '../../../support/recorder-temp-dir';

const stepMs = 10_000;
const zones = ['a', 'b', 'c'];

describe('the newest steps of load, appended to known ones', () => {
  let clock: ManualClock;
  let recorder: LoadRecorder;

  beforeEach(async () => {
    clock = new ManualClock();
    recorder = await LoadRecorder.open({ dataDir: tempDataDir(), clock });
  });
  afterEach(() => recorder.close());

  const findTime = async (moment: string) => Date.parse(moment);
  async function series(more: Record<string, string> = {}): Promise<LoadSeriesAnswer> {
    const api = new LoadApi({
      nowOf: () => clock.now(),
      loads: recorder,
      findTime,
      nodeIdOf: () => 'web',
      localityOf: () => null,
    });
    const question = { by: 'locality', span: '5m', measure: 'requests,error-ratio,in-flight', limit: '2' };
    const answered = await api.series(loadSeriesQuery.parse({ ...question, ...more }));
    if (!('json' in answered)) throw new Error('expected JSON');
    return loadSeriesAnswer.parse(answered.json);
  }
  function report(zone: string, client: string, successful: number): void {
    const locality = localityLoad(zone, { successful: String(successful), errors: '1', inProgress: '2' });
    recorder.observe(
      loadReported(clock.now(), [clusterLoad([locality], { intervalMs: 5_000 })], { clientId: client }),
    );
  }

  test('equal a complete reading, whenever reports came, sums and ranks included', async () => {
    const random = seededRandom(6);
    for (const zone of zones) report(zone, 'web', 5);
    clock.advance(stepMs);
    let followed = await series();
    let grown = 0;
    for (let round = 0; round < 60; round++) {
      clock.advance(1_000 + Math.floor(random() * 25_000));
      for (const zone of zones)
        if (random() < 0.7) report(zone, `c${Math.floor(random() * 3)}`, Math.floor(random() * 50));
      const tail = await series({ valuesFrom: formatIsoTime(tailBegin(followed)) });
      const whole = await series();
      const extended = extendSeries(followed, tail);
      if (extended !== undefined) {
        expect(extended).toEqual(whole);
        grown += 1;
        const reported = (answer: LoadSeriesAnswer) => answer.groups[0]?.values.requests?.length ?? 0;
        // At most 25 s have passed, and two steps are returned again.
        expect(reported(tail)).toBeLessThanOrEqual(5);
      }
      followed = whole;
    }
    expect(grown).toBeGreaterThan(30);
  });

  test('are read completely if a series is new, or if steps are missing', async () => {
    report('a', 'web', 5);
    clock.advance(stepMs);
    const before = await series();
    report('b', 'web', 5);
    clock.advance(stepMs);
    expect(
      extendSeries(before, await series({ valuesFrom: formatIsoTime(tailBegin(before)) })),
    ).toBeUndefined();
    const known = await series();
    clock.advance(5 * stepMs);
    const late = new Date(clock.now() - stepMs).toISOString();
    expect(extendSeries(known, await series({ valuesFrom: late }))).toBeUndefined();
    expect(extendSeries(known, await series({ valuesFrom: formatIsoTime(tailBegin(known)) }))).toBeDefined();
  });
});
