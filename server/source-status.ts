import type { Problem } from '@/lib/observation/observation';
import type { EpochMs } from '@/lib/xds/units';

/** How a source (a CSDS target, an ADS server, an LRS listener) is doing right now. Not recorded: it is no fact about xDS. */
export interface SourceStatus {
  state: 'connecting' | 'up' | 'down' | 'paused';
  problem: Problem | null;
  /** Extra facts in words; what is true now, not a history. */
  notes: readonly string[];
  lastAttemptAt: EpochMs | null;
  lastSuccessAt: EpochMs | null;
  lastChangedAt: EpochMs | null;
  answerBytes: number | null;
  answers: number;
  /** Of CSDS alone: of the answers those that were the one before once more, as their digest said, and were not decoded. */
  undecoded?: number;
  failures: number;
  latencyMs: number | null;
  intervalMs: number | null;
  /** Clients that the newest answer named, or whose stream is open, with the time when they were last named. */
  clients: ReadonlyMap<string, EpochMs>;
  /** Clients that the newest answer names and that are not observed: see --max-clients-per-source. Absent: none. */
  notAdmitted?: number | undefined;
  /** Of taps alone. */
  tap?: TapStatus;
}

/** A tap's address and traffic. Counts are of this process, or of what is open now. */
export interface TapStatus {
  /** As it was asked for. */
  readonly listen: string;
  /** Where it listens; null while it does not. */
  readonly address: string | null;
  readonly upstream: string;
  readonly connections: number;
  readonly streams: number;
  readonly bytesUp: number;
  readonly bytesDown: number;
  /** Messages that passed unrecorded, since recording could not keep up. */
  readonly droppedMessages: number;
}

export const initialSourceStatus: SourceStatus = {
  state: 'connecting',
  problem: null,
  notes: [],
  lastAttemptAt: null,
  lastSuccessAt: null,
  lastChangedAt: null,
  answerBytes: null,
  answers: 0,
  failures: 0,
  latencyMs: null,
  intervalMs: null,
  clients: new Map(),
};

/** A poll of a source that is up, which reported what the one before reported. */
export interface Confirmation {
  readonly askedAt: EpochMs;
  readonly at: EpochMs;
  readonly latencyMs: number;
}

/**
 * Makes a status what it is after that poll: the same wherever it is followed, so that thousands need not cross the
 * threads whole. MUTATES it, and its clients: a thousand new ones a second would be garbage that lives for a poll, the
 * dearest kind.
 */
export function confirmStatus(status: SourceStatus, { askedAt, at, latencyMs }: Confirmation): void {
  status.lastAttemptAt = askedAt;
  status.lastSuccessAt = at;
  status.latencyMs = latencyMs;
  status.answers += 1;
  status.undecoded = (status.undecoded ?? 0) + 1;
  const { clients } = status;
  if (clients instanceof Map) for (const clientId of clients.keys()) clients.set(clientId, at);
}

/** What every vantage that runs is to the runtime. */
export interface RunningSource {
  readonly status: SourceStatus;
  start(): void;
  pause(): void;
  resume(): void;
  /** Ends timers, streams and channels; resolves when nothing of it is left. */
  close(): Promise<void>;
}
