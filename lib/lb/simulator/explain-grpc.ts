import { deactivationSeconds, failoverSeconds, type PriorityChild } from '../grpc/priority-policy';
import type { GrpcView } from './grpc-view';
import type { TrafficCluster } from './traffic-cluster';

const keptFor = `${deactivationSeconds / 60} min`;

/** What the priority policy did since `before`, and why requests go where they go now; a sentence each. */
export function explainGrpc(
  { priorities }: TrafficCluster,
  before: GrpcView | null,
  after: GrpcView,
  now: number,
): string[] {
  const nameOf = (priority: number): string => priorities[priority]?.name ?? `P${priority}`;
  const events: string[] = [];
  if (before !== null) {
    after.priorities.forEach(({ child, counts }, priority) => {
      const was = before.priorities[priority]?.child ?? null;
      const total = counts === null ? 0 : counts.ready + counts.connecting + counts.failed;
      const event = describeTurn(nameOf(priority), was, child, total);
      if (event !== '') events.push(event);
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
  return [...events, describeNow(after, nameOf, now)];
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
      ? `${name} is begun: it has ${failoverSeconds} s to connect`
      : `${name} is begun`;
  }
  // Whoever is not in use may do what it likes.
  if (is.deactivateAt !== null) return '';
  if (was.state !== is.state) {
    switch (is.state) {
      case 'READY':
        return `${name} is READY again`;
      case 'TRANSIENT_FAILURE':
        return endpoints === 0
          ? `${name} has no usable endpoint left: it fails at once`
          : `${name} has failed: none of its ${endpoints} endpoints can be reached`;
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
): string {
  const live = priorities[chosen];
  if (live === undefined || live.counts === null)
    return 'requests fail with UNAVAILABLE: there are no priorities';
  const { ready, connecting, failed } = live.counts;
  const total = ready + connecting + failed;
  const name = nameOf(chosen);
  switch (outcome) {
    case 'served': {
      const are = `${ready} of ${total} endpoints ${ready === 1 ? 'is' : 'are'} connected`;
      const enough = ready < total ? ', and one is enough' : '';
      return `${name} takes all requests: ${are}${enough}`;
    }
    case 'waiting': {
      const until = live.child?.failoverAt ?? null;
      const left = until === null ? 'there is nobody better' : `${until - now} s are left`;
      return `requests wait while ${name} connects: ${left}`;
    }
    case 'failing':
      return `requests fail with UNAVAILABLE: ${priorities.length > 1 ? 'every priority has' : `${name} has`} failed`;
  }
}
