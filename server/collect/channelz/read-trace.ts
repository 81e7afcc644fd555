import { type ConnectivityState, connectivityStates } from '@/lib/observation/connection-states';
import type { EpochMs } from '@/lib/xds/units';
import { readTime, type TraceMessage } from './channelz-messages';

interface TraceFacts {
  /** The time when the newest state of the trace began; null if the trace has no state. */
  readonly since: EpochMs | null;
  readonly state: ConnectivityState | null;
  /** The time since which attempts to connect have failed; null if none has failed since the last READY. */
  readonly failingSince: EpochMs | null;
  readonly hasBeenReady: boolean;
  /** The error of the last attempt that failed; empty if it is not reported. */
  readonly lastError: string;
}

const maxErrorChars = 1_000;
/** gRPC-Go, grpc-js and C-core: "… change to READY", "… state changed to TRANSIENT_FAILURE: reason". */
const stateChange = /\bchanged? to ([A-Z_]+)(?:(?:, last error)?: ([\s\S]*))?$/;

/** The state changes of a trace. Libraries keep the newest events only, and gRPC-Java keeps none. */
export function readTrace(trace: TraceMessage | null | undefined): TraceFacts {
  let state: ConnectivityState | null = null;
  let since: EpochMs | null = null;
  let failingSince: EpochMs | null = null;
  let hasBeenReady = false;
  let lastError = '';
  for (const { description = '', timestamp } of trace?.events ?? []) {
    const [, name, error = ''] = stateChange.exec(description) ?? [];
    const next = connectivityStates.find((each) => each === name);
    const at = readTime(timestamp);
    if (next === undefined || at === null) continue;
    if (next !== state) since = at;
    state = next;
    if (next === 'READY') [failingSince, hasBeenReady] = [null, true];
    if (next !== 'TRANSIENT_FAILURE') continue;
    failingSince ??= at;
    if (error !== '') lastError = readError(error);
  }
  return { state, since, failingSince, hasBeenReady, lastError };
}

/** C-core appends the place in its sources. */
function readError(text: string): string {
  return (text.split('\n===')[0] ?? '').trim().slice(0, maxErrorChars);
}
