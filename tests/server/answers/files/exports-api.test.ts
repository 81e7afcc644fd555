import { expect, it } from 'vitest';
import { foldObservation, type World } from '@/lib/observation/fold';
import { ExportsApi } from '@/server/answers/files/exports-api';
import { systemClock } from '@/server/observe';
import { makeDay } from '@/tests/support/builders/make-day';
import { openLiveState } from '@/tests/support/open-live-state';
import { openLoads } from '@/tests/support/open-loads';
import { openWholeRecorder } from '@/tests/support/open-recorder';

it.each([30, 1_000])(
  'the size of an export of a small log (%i observations) is known before it is made',
  async (observations) => {
    const recorder = await openWholeRecorder();
    const world: World = new Map();
    const startAt = Date.now() - 86_400_000;
    const day = { observations, startAt, clients: 3, largeClients: 0, manyServices: 100, seed: 2 };
    for (const emissions of makeDay(day, { wire: 0, delta: 0 })) {
      for (const emission of emissions) {
        foldObservation(world, { ...emission.observation, seq: recorder.append(emission) });
      }
    }
    const live = openLiveState(
      { clock: systemClock, append: recorder.append.bind(recorder) },
      { world, newestSeq: observations },
    );
    const imports = { fileOf: () => undefined, isKeptBy: () => false };
    const loads = await openLoads();
    const subjects = { find: async () => undefined };
    const api = new ExportsApi({
      ...{ clock: systemClock, version: 'test', recorder, live, loads, imports, subjects },
    });
    try {
      for (const query of [{}, { client: [...world.keys()][0] }, { from: startAt + 40_000_000 }]) {
        const { sizeBytes } = await api.estimate(query);
        let made = 0;
        for await (const part of (await api.make(query)).content) made += part.length;
        expect(Math.abs(sizeBytes - made) / made).toBeLessThan(0.2);
      }
    } finally {
      await recorder.close();
    }
  },
);
