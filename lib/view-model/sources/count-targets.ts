import type { Source } from '../../api/schema';

export type TargetCounts = Readonly<Record<Source['state'], number>>;

/** Sources by state; of a list the targets that it found, and itself where it cannot be read. */
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
