import { formatIsoTime } from '@/lib/format/iso-time';
import { initialSourceStatus, type RunningSource, type SourceStatus } from '../../source-status';
import type { SavedImport } from './saved-imports';

/** A file as a source. Nothing runs: all that it had to say is in the log. */
export class FileSource implements RunningSource {
  readonly status: SourceStatus;

  constructor(saved: SavedImport) {
    this.status = statusOf(saved);
  }

  start(): void {}
  pause(): void {}
  resume(): void {}
  async close(): Promise<void> {}
}

function statusOf(saved: SavedImport): SourceStatus {
  const { from, to, observations, bodies, madeBy, sizeBytes, addedAt, notes, clients, what: kind } = saved;
  const range = from === null || to === null ? '' : `, ${formatIsoTime(from)} to ${formatIsoTime(to)}`;
  const what =
    kind === undefined
      ? `${observations} observations and ${bodies} resource bodies${range}`
      : `${kind}: ${bodies} resource bodies, as of ${from === null ? 'no time' : formatIsoTime(from)}`;
  return {
    ...initialSourceStatus,
    state: 'up',
    notes: [madeBy === '' ? what : `${what}, exported by ${madeBy}`, ...notes],
    lastAttemptAt: addedAt,
    lastSuccessAt: addedAt,
    answerBytes: sizeBytes,
    answers: 1,
    clients: new Map(Object.entries(clients)),
  };
}
