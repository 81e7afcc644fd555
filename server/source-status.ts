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

/** A poll of a source that is up, which told what the one before told. */
export interface Confirmation {
  readonly askedAt: EpochMs;
  readonly at: EpochMs;
  readonly latencyMs: number;
}

/** What its status is after it. The same wherever it is followed, so that thousands need not cross the threads whole. */
export function confirmStatus(status: SourceStatus, { askedAt, at, latencyMs }: Confirmation): SourceStatus {
  const { answers, undecoded = 0 } = status;
  const clients = new Map<string, EpochMs>();
  for (const clientId of status.clients.keys()) clients.set(clientId, at);
  return {
    ...status,
    lastAttemptAt: askedAt,
    lastSuccessAt: at,
    latencyMs,
    answers: answers + 1,
    undecoded: undecoded + 1,
    clients,
  };
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
