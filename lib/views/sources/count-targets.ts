import type { Source } from './schema';

export type TargetCounts = Readonly<Record<Source['state'], number>>;

/** Numbers of sources by state. A list counts with its targets, and itself only if it is down. */
export function countTargets(sources: readonly Source[]): TargetCounts {
  const counts = { connecting: 0, up: 0, down: 0, paused: 0 };
  for (const { state, members } of sources) {
    if (members === undefined || state === 'down') counts[state] += 1;
    if (members === undefined) continue;
    counts.connecting += members.connecting;
    counts.up += members.up;
    counts.down += members.down;
    counts.paused += members.paused;
  }
  return counts;
}
