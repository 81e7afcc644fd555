import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { foldObservation, type World } from '@/lib/observation/fold';
import { SourceDirectory } from '@/lib/observation/source-directory';
import { keepCheckpoints } from '@/server/compose/checkpoints';
import { sampleReport } from '../../support/builders/observation-samples';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

it('keepCheckpoints() saves less often the more clients there are, and after a time in any case', async () => {
  const world: World = new Map();
  for (let seq = 1; seq <= 40; seq++)
    foldObservation(world, { ...sampleReport({ clientId: `c${seq}` }), seq });
  const live = { seq: 40, world, sources: new SourceDirectory() };
  const saved: number[] = [];
  const recorder = {
    stats: () => ({ state: 'recording' }) as const,
    saveCheckpoint: async (seq: number) => {
      saved.push(seq);
    },
  };
  const checkpoints = keepCheckpoints({ live, recorder });
  live.seq = 49;
  await vi.advanceTimersByTimeAsync(31_000);
  expect(saved).toEqual([]);
  live.seq = 50;
  await vi.advanceTimersByTimeAsync(30_000);
  expect(saved).toEqual([50]);
  live.seq = 51;
  await vi.advanceTimersByTimeAsync(4 * 60_000);
  expect(saved).toEqual([50]);
  await vi.advanceTimersByTimeAsync(2 * 60_000);
  expect(saved).toEqual([50, 51]);
  live.seq = 52;
  await checkpoints.close();
  expect(saved).toEqual([50, 51, 52]);
});
