import { LiveState, type LiveStateOptions } from '@/server/live/live-state';

/** A live state whose clients are live, without a log: its clock stands still, and observations are numbered from 1. */
export function openLiveState(
  options: Partial<LiveStateOptions> = {},
  restored: ConstructorParameters<typeof LiveState>[1] = { world: new Map(), newestSeq: 0 },
): LiveState {
  let seq = 0;
  return new LiveState(
    {
      clock: { now: () => 0, setTimeout: () => ({ cancel: () => undefined }) },
      append: () => ++seq,
      publish: () => undefined,
      freshnessOf: () => ({ freshness: 'live', reason: '' }),
      ...options,
    },
    restored,
  );
}
