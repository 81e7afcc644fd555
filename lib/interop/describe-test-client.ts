import { formatCount, formatCounted } from '../format/count';
import { formatDuration } from '../format/duration';
import type { MethodCounts, RpcBlock, RpcConfiguration, ServerServing } from '../observation/test-client';
import { formatStatusCode } from '../xds/status-code';

const peersNamed = 5;

/** As in "UNARY_CALL with rpc-behavior: sleep-2; timeout 3s". */
export function describeConfiguration({ types, metadata, timeoutMs }: Omit<RpcConfiguration, 'at'>): string {
  const rpcs = types.map((type) => {
    const entries = metadata.filter((entry) => entry.type === type);
    const shown = entries.map(({ key, value }) => `${key}: ${value}`).join(', ');
    return shown === '' ? type : `${type} with ${shown}`;
  });
  const timeout = timeoutMs === undefined ? '' : `; timeout ${formatDuration(timeoutMs)}`;
  return `${rpcs.join('; ') || 'no RPCs'}${timeout}`;
}

/** As in "100 RPCs: 50 by a, 50 by b, 0 failed". */
export function describeBlock({ requested, failed, peers }: RpcBlock): string {
  const named = peers.slice(0, peersNamed).map(({ peer, count }) => `${formatCount(count)} by ${peer}`);
  const more = peers.length > peersNamed ? [`others by ${peers.length - peersNamed} more`] : [];
  return `${formatCounted(requested, 'RPC')}: ${[...named, ...more, `${formatCount(failed)} failed`].join(', ')}`;
}

/** As in "UNARY_CALL: 120 started, 118 OK, 2 UNAVAILABLE". */
export function describeCounts({ method, started, ended }: MethodCounts): string {
  const statuses = ended.map(({ code, count }) => `${formatCount(count)} ${formatStatusCode(code)}`);
  return `${method}: ${[`${formatCount(started)} started`, ...statuses].join(', ')}`;
}

/** As in "10.0.0.1:8080 set to NOT_SERVING". */
export function describeServing({ address, isServing }: ServerServing): string {
  return `${address} set to ${isServing ? 'SERVING' : 'NOT_SERVING'}`;
}
