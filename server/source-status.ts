import type * as z from 'zod';
import type { Problem } from '@/lib/observation/observation';
import type { PackedFigures } from '@/lib/observation/packed-figures';
import type { PackedRequests } from '@/lib/observation/packed-requests';
import type { tapShown } from '@/lib/views/sources/schema';
import type { EpochMs } from '@/lib/xds/units';
import type { Observe } from './observe';
import type { SourceCost, TargetCpu, TargetMemory } from './source-cost';

/** The current state of a source. It is not recorded, because it is not a fact about xDS. */
export interface SourceStatus {
  state: 'connecting' | 'up' | 'down' | 'paused';
  problem: Problem | null;
  /** Further current facts as sentences. */
  notes: readonly string[];
  lastAttemptAt?: EpochMs | undefined;
  lastSuccessAt?: EpochMs | undefined;
  lastChangedAt?: EpochMs | undefined;
  answerBytes?: number | undefined;
  answers: number;
  /** Another collector of a shared store observes it. */
  isStandby?: boolean | undefined;
  /** CSDS only: the number of answers that were not decoded because their digest equals the previous one. */
  undecoded?: number;
  failures: number;
  latencyMs?: number | undefined;
  intervalMs?: number | undefined;
  /** The clients of the newest answer or with an open stream, and the time at which each was last named. */
  clients: ReadonlyMap<string, EpochMs>;
  /** Number of clients of the newest answer that are not observed because of --max-clients-per-source, if any. */
  notAdmitted?: number | undefined;
  /** Envoy's admin interface only: which rejections of its client it does not show, if any. It is among `notes` as well. */
  notVisible?: string | undefined;
  /** Present for polled sources, from the first poll on. */
  cost?: SourceCost | undefined;
  /** The memory of the target's process as it reports it itself, which Envoy and istiod do. */
  targetMemory?: TargetMemory | undefined;
  /** The CPU time of the target's process, which only istiod reports. null: it was read once. */
  targetCpu?: TargetCpu | null | undefined;
  /** channelz and Envoy's admin interface: the counts of the newest poll. */
  figures?: PackedFigures | undefined;
  /** channelz and Envoy's admin interface: the requests of the last hour, by their counters. */
  requests?: PackedRequests | undefined;
  /** Present for taps only. */
  tap?: TapStatus;
}

/** The address and traffic of a tap. */
export type TapStatus = Readonly<Omit<z.infer<typeof tapShown>, 'listenSecurity' | 'upstreamSecurity'>>;

export const initialSourceStatus: SourceStatus = {
  state: 'connecting',
  problem: null,
  notes: [],
  answers: 0,
  failures: 0,
  clients: new Map(),
};

/** What a source reports to, in the order in which it is called. */
export interface SourceHandler {
  readonly observe: Observe;
  /** Called after each change of the status. */
  readonly onStatus: (status: SourceStatus) => void;
}

export interface RunningSource {
  readonly status: SourceStatus;
  start(): void;
  pause(): void;
  resume(): void;
  /** Ends timers, streams and channels; resolves when all of them have ended. */
  close(): Promise<void>;
}
