import { formatBytes } from '../../format/bytes';
import { formatCount, formatCounted } from '../../format/count';
import { formatDuration } from '../../format/duration';
import { formatShare } from '../../format/share';
import { formatAge } from '../../format/time-ago';
import type { EpochMs } from '../../xds/units';
import type { SourceCostShown, SourcePage } from './schema';

type Requests = Pick<SourceCostShown, 'requests' | 'bytes' | 'tookMs'>;

/** Describes what polling costs the target: "412 polls in 2 h: 1,236 requests, 3.60 GB, 0.4% of the time. …" */
export function describeCost(cost: SourceCostShown, now: EpochMs): string {
  const { since, polls, newest, largest, memory, cpu } = cost;
  // The newest poll may be the only one, and the clock of the server may differ.
  const passedMs = Math.max(now - since, cost.tookMs, 1);
  const all = `${formatCounted(polls, 'poll')} in ${formatAge(passedMs)}: ${formatCounted(cost.requests, 'request')}, ${formatBytes(cost.bytes)}, ${formatShare(cost.tookMs / passedMs)} of the time.`;
  const isLargest = largest.bytes <= newest.bytes;
  return [
    all,
    `Newest poll: ${describeRequests(newest)}${isLargest ? '.' : `; largest: ${describeRequests(largest)}.`}`,
    ...(memory === undefined ? [] : [describeProcess(memory, cpu)]),
  ].join(' ');
}

function describeRequests({ requests, bytes, tookMs }: Requests): string {
  return `${formatCounted(requests, 'request')}, ${formatBytes(bytes)}, ${formatDuration(tookMs)}`;
}

function describeProcess(
  { allocated, physical }: NonNullable<SourceCostShown['memory']>,
  cpu: SourceCostShown['cpu'],
): string {
  const parts = [
    ...(allocated === undefined ? [] : [`${formatBytes(allocated)} allocated`]),
    ...(physical === undefined ? [] : [`${formatBytes(physical)} physical`]),
  ];
  const reported = parts.length === 0 ? 'not reported' : parts.join(', ');
  if (cpu === undefined) return `Memory of the Envoy: ${reported}; it does not report CPU time.`;
  return `Memory of istiod: ${reported}; ${cpu === null ? 'its CPU time is reported from the second reading on' : `${formatShare(cpu.share)} of a CPU in the last ${formatDuration(cpu.overMs)}, for all that it does`}.`;
}

/** "/config_dump took 2.5 s (expected at most 1.5 s): the next request follows after 23 s." */
export function describeSlowed({
  what,
  tookMs,
  expectedMs,
  delayMs,
}: SourceCostShown['slowed'][number]): string {
  if (what === 'all polls')
    return `The polls of all sources reach their limit: the next poll follows after ${formatDuration(delayMs)}.`;
  return `${what === 'poll' ? 'The two newest polls each' : what} took ${what === 'poll' ? 'at least ' : ''}${formatDuration(tookMs)} (expected at most ${formatDuration(expectedMs)}): the next ${what === 'poll' ? 'poll' : 'request'} follows after ${formatDuration(delayMs)}.`;
}

/** "All polls: 1,000 requests and 50.0 MB per second (limits: 2,000 and 100 MB)." */
export function describePolling({
  requestsPerSecond,
  bytesPerSecond,
  limits,
}: SourcePage['polling']): string {
  const rate =
    requestsPerSecond < 10 ? requestsPerSecond.toFixed(1) : formatCount(Math.round(requestsPerSecond));
  return `All polls: ${rate} requests and ${formatBytes(Math.round(bytesPerSecond))} per second (limits: ${formatCount(limits.requestsPerSecond)} and ${formatBytes(limits.bytesPerSecond)}).`;
}
