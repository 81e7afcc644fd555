import type { EpochMs } from '@/lib/xds/units';
import type { Statistics } from './read-statistics';

/** The connection of an Envoy to its management server, by its statistics. */
export interface ServerConnection {
  readonly state: 'READY' | 'TRANSIENT_FAILURE';
  readonly since: EpochMs;
  /** The statistics that show the failure; empty if it is connected. */
  readonly error: string;
}

/**
 * While Envoy connects to an address that does not answer, connected_state is 1 as well. It counts as connected when a response
 * has come, or if no attempt has failed for so long.
 */
const connectedMs = 10_000;

/** Concludes from statistics, poll by poll, whether an Envoy reaches its management server. */
export class ServerTracker {
  #before: Statistics | undefined;
  #lastFailureAt: EpochMs = 0;
  /** undefined: not known. */
  now: ServerConnection | undefined;

  read(statistics: Statistics, at: EpochMs): void {
    const before = this.#before;
    this.#before = statistics;
    const { isConnected, updates } = statistics;
    // Counters of an Envoy that was restarted begin anew.
    const known = before !== undefined && before.updates.attempts <= updates.attempts ? before : undefined;
    const hasFailed = known !== undefined && updates.failures > known.updates.failures;
    const hasResponse = known !== undefined && responsesOf(statistics) > responsesOf(known);
    const hasAttempted = known !== undefined && updates.attempts > known.updates.attempts;
    if (isConnected === false || (hasFailed && !hasResponse)) {
      this.#lastFailureAt = at;
      this.#set('TRANSIENT_FAILURE', at, describeFailure(statistics));
      return;
    }
    const isReached = isConnected === null ? hasAttempted : isConnected;
    const isOver = this.now?.state !== 'TRANSIENT_FAILURE' || at - this.#lastFailureAt >= connectedMs;
    if (hasResponse || (isReached && isOver)) this.#set('READY', at, '');
  }

  #set(state: ServerConnection['state'], at: EpochMs, error: string): void {
    if (this.now?.state === state && this.now.error === error) return;
    const since = this.now?.state === state ? this.now.since : at;
    this.now = { state, since, error };
  }
}

function responsesOf({ subscriptions }: Statistics): number {
  let sum = 0;
  for (const { success, rejected } of subscriptions.values()) sum += success + rejected;
  return sum;
}

/** The counts change with each attempt, and are left out. */
function describeFailure({ isConnected, updates: { failing } }: Statistics): string {
  const facts = [
    ...(isConnected === false ? ['control_plane.connected_state is 0'] : []),
    ...(failing.length === 0
      ? []
      : [`${failing.join(' and ')} ${failing.length === 1 ? 'counts' : 'count'} failed attempts`]),
  ];
  return facts.join('; ');
}
