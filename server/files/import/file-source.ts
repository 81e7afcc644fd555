import { formatIsoTime } from '@/lib/format/iso-time';
import { initialSourceStatus, type RunningSource } from '../../source-status';
import type { SavedImport } from './saved-imports';

/** A file as a source. It has nothing to run, since all of its observations are in the log. */
export function fileSource(saved: SavedImport): RunningSource {
  const { from, to, observations, bodies, madeBy, sizeBytes, addedAt, notes, clients, what: kind } = saved;
  const range = from === null || to === null ? '' : `, ${formatIsoTime(from)} to ${formatIsoTime(to)}`;
  const what =
    kind === undefined
      ? `${observations} observations and ${bodies} resource bodies${range}`
      : `${kind}: ${bodies} resource bodies, as of ${from === null ? 'no time' : formatIsoTime(from)}`;
  return {
    status: {
      ...initialSourceStatus,
      state: 'up',
      notes: [madeBy === '' ? what : `${what}, exported by ${madeBy}`, ...notes],
      lastAttemptAt: addedAt,
      lastSuccessAt: addedAt,
      answerBytes: sizeBytes,
      answers: 1,
      clients: new Map(Object.entries(clients)),
    },
    start() {},
    pause() {},
    resume() {},
    async close() {},
  };
}
