import type { GrpcClient } from '../../xds/profile';
import type { Connectivity } from './connectivity';

/** gRFC A56, in seconds. */
export const failoverSeconds = 10;
export const deactivationSeconds = 15 * 60;

/** State of one child of priority_experimental. Times are seconds of the simulation. */
export interface PriorityChild {
  readonly state: Connectivity;
  readonly createdAt: number;
  /** Until this second the child may connect before the next one is tried; null if the failover timer does not run. */
  readonly failoverAt: number | null;
  /** At this second the child is destroyed; null if it is in use. */
  readonly deactivateAt: number | null;
  /**
   * True if it was READY or IDLE more recently than in TRANSIENT_FAILURE. Only then does CONNECTING restart the
   * timer.
   */
  readonly seenReadySinceFailure: boolean;
}

export interface PriorityPolicyState {
  /** null for a child that was not created or was destroyed. */
  readonly children: readonly (PriorityChild | null)[];
  /** Index of the child whose picker is used; -1 if there are no priorities. */
  readonly chosen: number;
}

/** The state that a child created at `createdAt` reports now. */
type ReportState = (priority: number, createdAt: number) => Connectivity;

/**
 * Section 5.3 (gRFC A56): the actions of the policy at `now` for the states that its children report. Idempotent: a
 * second call at the same moment changes nothing.
 */
export function stepPriorityPolicy(
  before: PriorityPolicyState,
  report: ReportState,
  now: number,
  client: GrpcClient,
): PriorityPolicyState {
  const children = before.children.map((child, priority) => {
    if (child === null || (child.deactivateAt !== null && child.deactivateAt <= now)) return null;
    return applyState(child, report(priority, child.createdAt), now);
  });
  const chosen = choose(children, report, now, client);
  return { children, chosen };
}

export function beginPriorityPolicy(priorities: number): PriorityPolicyState {
  return { children: Array.from({ length: priorities }, () => null), chosen: -1 };
}

/** MUTATES children: creates, reactivates and deactivates them. */
function choose(
  children: (PriorityChild | null)[],
  report: ReportState,
  now: number,
  client: GrpcClient,
): number {
  for (let at = 0; at < children.length; at++) {
    const known = children[at] ?? applyState(create(now), report(at, now), now);
    const child = { ...known, deactivateAt: null };
    children[at] = child;
    if (child.state === 'READY' || child.state === 'IDLE') {
      deactivateBelow(children, at, now);
      return at;
    }
    if (child.failoverAt !== null) return at;
  }
  // Go switches to the last priority at once; Node counts a timeout as a failure, with the same result.
  const waits = client === 'core' || client === 'java';
  const connecting = waits ? children.findIndex((child) => child?.state === 'CONNECTING') : -1;
  return connecting >= 0 ? connecting : children.length - 1;
}

function create(now: number): PriorityChild {
  return {
    state: 'CONNECTING',
    createdAt: now,
    failoverAt: now + failoverSeconds,
    deactivateAt: null,
    seenReadySinceFailure: true,
  };
}

/** Applies a state that the child reports, whether or not it changed. */
function applyState(child: PriorityChild, state: Connectivity, now: number): PriorityChild {
  switch (state) {
    case 'READY':
    case 'IDLE':
      return { ...child, state, failoverAt: null, seenReadySinceFailure: true };
    case 'TRANSIENT_FAILURE':
      return { ...child, state, failoverAt: null, seenReadySinceFailure: false };
    case 'CONNECTING': {
      const isNew = child.state !== 'CONNECTING' && child.seenReadySinceFailure;
      const running = isNew ? now + failoverSeconds : child.failoverAt;
      return { ...child, state, failoverAt: running !== null && running > now ? running : null };
    }
  }
}

function deactivateBelow(children: (PriorityChild | null)[], priority: number, now: number): void {
  for (let at = priority + 1; at < children.length; at++) {
    const child = children[at];
    if (child) children[at] = { ...child, deactivateAt: child.deactivateAt ?? now + deactivationSeconds };
  }
}

/** The next second at which a timer expires; null if no timer runs. */
export function nextTimer({ children }: PriorityPolicyState): number | null {
  const times = children.flatMap((child) => [child?.failoverAt ?? null, child?.deactivateAt ?? null]);
  const running = times.filter((time) => time !== null);
  return running.length === 0 ? null : Math.min(...running);
}
