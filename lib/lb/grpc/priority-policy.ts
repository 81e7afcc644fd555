import type { ClientKind } from '../client-kind';
import type { Connectivity } from './connectivity';

/** gRFC A56, in seconds. */
export const failoverSeconds = 10;
export const deactivationSeconds = 15 * 60;

/** What priority_experimental keeps of a child. Times are seconds of the simulation. */
export interface PriorityChild {
  readonly state: Connectivity;
  readonly createdAt: number;
  /** Until then it may connect before the next one is tried; null: the timer does not run. */
  readonly failoverAt: number | null;
  /** Then it is destroyed; null: it is in use. */
  readonly deactivateAt: number | null;
  /** It was READY or IDLE more recently than in TRANSIENT_FAILURE: only then CONNECTING starts the timer again. */
  readonly seenReadySinceFailure: boolean;
}

export interface PriorityPolicyState {
  /** null: not created, or destroyed. */
  readonly children: readonly (PriorityChild | null)[];
  /** Whose picker is used; -1 when there are no priorities. */
  readonly chosen: number;
}

/** What a child reports now, were it created at that second. */
export type ReportState = (priority: number, createdAt: number) => Connectivity;

/**
 * Section 5.3 (gRFC A56): what the policy does at `now`, given what its children report. Nothing but time and reports
 * changes it; calling it again at the same moment changes nothing.
 */
export function stepPriorityPolicy(
  before: PriorityPolicyState,
  report: ReportState,
  now: number,
  kind: ClientKind,
): PriorityPolicyState {
  const children = before.children.map((child, priority) => {
    if (child === null || (child.deactivateAt !== null && child.deactivateAt <= now)) return null;
    return hear(child, report(priority, child.createdAt), now);
  });
  const chosen = choose(children, report, now, kind);
  return { children, chosen };
}

export function beginPriorityPolicy(priorities: number): PriorityPolicyState {
  return { children: Array.from({ length: priorities }, () => null), chosen: -1 };
}

/** MUTATES children: creates, activates again, deactivates. */
function choose(
  children: (PriorityChild | null)[],
  report: ReportState,
  now: number,
  kind: ClientKind,
): number {
  for (let at = 0; at < children.length; at++) {
    const known = children[at] ?? hear(create(now), report(at, now), now);
    const child = { ...known, deactivateAt: null };
    children[at] = child;
    if (child.state === 'READY' || child.state === 'IDLE') {
      deactivateBelow(children, at, now);
      return at;
    }
    if (child.failoverAt !== null) return at;
  }
  // Go goes to the last at once; Node counts who is late as failed, which comes to the same.
  const waits = kind === 'core' || kind === 'java';
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

/** The child reported `state`, as before or anew. */
function hear(child: PriorityChild, state: Connectivity, now: number): PriorityChild {
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

/** The next moment at which it does something by itself; null when it waits for nothing. */
export function nextTimer({ children }: PriorityPolicyState): number | null {
  const times = children.flatMap((child) => [child?.failoverAt ?? null, child?.deactivateAt ?? null]);
  const running = times.filter((time) => time !== null);
  return running.length === 0 ? null : Math.min(...running);
}
