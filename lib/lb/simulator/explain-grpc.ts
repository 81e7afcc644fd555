import { deactivationSeconds, failoverSeconds, type PriorityChild } from '../grpc/priority-policy';
import type { UnusableCounts } from './connections';
import type { GrpcPriorityView, GrpcView } from './grpc-view';
import type { TrafficCluster } from './traffic-cluster';

const keptFor = `${deactivationSeconds / 60} min`;

/** Sentences without full stops. */
interface GrpcExplanation {
  /** Actions of the priority policy; empty if there were none. */
  readonly events: readonly string[];
  /** Sentences that state why requests go where they go: the skipped priorities, and the one that is used. */
  readonly now: readonly string[];
}

/** If `before` is null, the state is taken as stable. */
export function explainGrpc(
  { priorities, unused }: TrafficCluster,
  before: GrpcView | null,
  after: GrpcView,
  now: number,
): GrpcExplanation {
  if (unused !== null) {
    const effect = unused.outcome === 'waiting' ? 'requests wait' : 'requests fail with UNAVAILABLE';
    return { events: [], now: [`${effect}: ${unused.reason}`] };
  }
  const nameOf = (priority: number): string => priorities[priority]?.name ?? `P${priority}`;
  const events: string[] = [];
  const failedNow = new Set<number>();
  if (before !== null) {
    after.priorities.forEach(({ child, counts }, priority) => {
      const was = before.priorities[priority]?.child ?? null;
      const total = counts === null ? 0 : counts.ready + counts.connecting + counts.failed;
      const event = describeTurn(nameOf(priority), was, child, total);
      if (event === '') return;
      events.push(event);
      if (child?.state !== 'READY') failedNow.add(priority);
    });
    if (after.chosen >= 0 && before.chosen >= 0 && after.chosen !== before.chosen) {
      const to = nameOf(after.chosen);
      const from = nameOf(before.chosen);
      events.push(
        after.chosen < before.chosen
          ? `requests return to ${to} at once; ${from} keeps its connections for ${keptFor}`
          : `requests go to ${to}`,
      );
    }
  }
  const skipped = describeSkipped(after, nameOf, failedNow);
  const rejected =
    after.gap === null
      ? []
      : [
          `${nameOf(after.gap)} has no locality with a weight, but a later priority does: the client rejects such an EDS resource and keeps one that it accepted before, if there is one (rule E9)`,
        ];
  const held = after.isHeld
    ? [
        'EDS has no usable endpoint left: grpc-java 1.76 and later continue to use the endpoints that they had, until their connections break',
      ]
    : [];
  const isConnected = priorities[after.chosen]?.isConnected === true;
  return { events, now: [...rejected, ...held, ...skipped, describeNow(after, nameOf, now, isConnected)] };
}

/** Maximum number of skipped priorities that are listed one by one. */
const skippedReported = 3;

/** Priorities before the chosen one, or all if requests fail, except those that the events of this moment mention. */
function describeSkipped(
  { priorities, chosen, outcome }: GrpcView,
  nameOf: (priority: number) => string,
  failedNow: ReadonlySet<number>,
): string[] {
  const end = outcome === 'failing' ? priorities.length : chosen;
  const skipped = priorities.slice(0, Math.max(0, end)).flatMap((view, at) => {
    const why = failedNow.has(at) ? '' : whySkipped(view);
    return why === '' ? [] : [`${nameOf(at)} is skipped: ${why}`];
  });
  const rest = skipped.length - skippedReported;
  return rest > 0 ? [...skipped.slice(0, skippedReported), `${rest} more are skipped`] : skipped;
}

/** Empty if the priority is not skipped, or if its state is unknown. */
function whySkipped({ child, counts, unusable }: GrpcPriorityView): string {
  if (unusable !== null) return whyUnusable(unusable);
  if (child === null || counts === null) return '';
  if (child.state === 'CONNECTING') return `it has not connected within ${failoverSeconds} s`;
  if (child.state !== 'TRANSIENT_FAILURE') return '';
  const endpoints = counts.connecting + counts.failed;
  return endpoints === 1
    ? 'its only endpoint cannot be reached'
    : `none of its ${endpoints} endpoints can be reached`;
}

function whyUnusable({ total, ...reasons }: UnusableCounts): string {
  if (total === 0) return 'it has no endpoints';
  const reported = Object.entries(reasons).flatMap(([why, count]) => {
    if (count === 0) return [];
    return [why === 'unweighted' ? `${count} in localities without weight` : `${count} ${why}`];
  });
  const subject =
    total === 1 ? 'its only endpoint is not usable' : `none of its ${total} endpoints is usable`;
  return `${subject}: ${reported.join(', ')}`;
}

function describeTurn(
  name: string,
  was: PriorityChild | null,
  is: PriorityChild | null,
  endpoints: number,
): string {
  if (is === null)
    return was === null ? '' : `${name} was not used for ${keptFor}: its connections are closed`;
  if (was === null || was.createdAt !== is.createdAt) {
    return is.state === 'CONNECTING'
      ? `${name} starts to connect: it has ${failoverSeconds} s`
      : `${name} starts`;
  }
  // States of children that are not in use are not explained.
  if (is.deactivateAt !== null) return '';
  if (was.state !== is.state) {
    switch (is.state) {
      case 'READY':
        return `${name} is READY again`;
      case 'TRANSIENT_FAILURE':
        return endpoints === 0
          ? `${name} has no usable endpoint left: it fails at once`
          : `${name} has failed: ${endpoints === 1 ? 'its only endpoint cannot' : `none of its ${endpoints} endpoints can`} be reached`;
      case 'CONNECTING':
        return is.failoverAt === null
          ? `${name} connects`
          : `${name} has lost its connections: it has ${failoverSeconds} s to connect again`;
      case 'IDLE':
        return `${name} is IDLE`;
    }
  }
  const isLate = is.state === 'CONNECTING' && was.failoverAt !== null && is.failoverAt === null;
  return isLate ? `${name} did not connect within ${failoverSeconds} s` : '';
}

function describeNow(
  { priorities, chosen, outcome }: GrpcView,
  nameOf: (priority: number) => string,
  now: number,
  isConnected: boolean,
): string {
  const live = priorities[chosen];
  if (live === undefined || live.counts === null) {
    const effect = outcome === 'waiting' ? 'wait until their deadline' : 'fail with UNAVAILABLE';
    return `requests ${effect}: there are no priorities`;
  }
  const { ready, connecting, failed } = live.counts;
  const total = ready + connecting + failed;
  const name = nameOf(chosen);
  switch (outcome) {
    case 'served': {
      const gets = `${name} gets all requests${isConnected ? '' : ' if it connects'}`;
      const how = isConnected ? 'connected' : 'usable';
      if (total === 1) return `${gets}: its only endpoint is ${how}`;
      const are = `${ready} of ${total} endpoints ${ready === 1 ? 'is' : 'are'} ${how}`;
      const enough = ready < total ? ', and one is enough' : '';
      return `${gets}: ${are}${enough}`;
    }
    case 'waiting': {
      if (live.unusable !== null)
        return `requests wait until their deadline: ${name} is the last priority, and ${whyUnusable(live.unusable)}`;
      const until = live.child?.failoverAt ?? null;
      const left = until === null ? 'no other priority can be used' : `${until - now} s are left`;
      return `requests wait while ${name} connects: ${left}`;
    }
    case 'failing':
      return `requests fail with UNAVAILABLE: ${priorities.length > 1 ? 'every priority has' : `${name} has`} failed`;
  }
}
