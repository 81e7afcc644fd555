import type { EpochMs } from '../../xds/units';

/** One stream of one client, from its first event that is known to its last. */
export interface StreamLife {
  readonly streamId: string;
  readonly from: EpochMs;
  readonly to: EpochMs;
  /** It was seen to end. */
  readonly isClosed: boolean;
}

/**
 * Streams that follow one another lie on one track, streams at the same time on tracks below each other: a client that
 * connected anew a hundred times is one track. Answers each stream's track, from 0. A stream that nobody saw end has
 * ended, at its last event, when a later one was opened on its track.
 */
export function placeStreams(lives: readonly StreamLife[]): Map<string, number> {
  const ends: EpochMs[] = [];
  const placed = new Map<string, number>();
  const inOrder = [...lives].sort((a, b) => a.from - b.from || (a.streamId < b.streamId ? -1 : 1));
  for (const { streamId, from, to } of inOrder) {
    const free = ends.findIndex((end) => end <= from);
    const track = free === -1 ? ends.length : free;
    ends[track] = to;
    placed.set(streamId, track);
  }
  return placed;
}
