import { by } from '../collections/compare';
import { formatCounted } from '../format/count';
import { type ClientImpact, type ImpactLevel, impactLevels, rankOfImpact } from './client-impact';

/** Orders issues: by what they do to RPCs, not by the status that reports them. */
export const severities = ['critical', 'major', 'warning', 'minor'] as const;
export type Severity = (typeof severities)[number];

export interface AssessedClient {
  readonly nodeId: string;
  readonly isEnvoy: boolean;
  readonly impact: ClientImpact;
}

export interface ImpactOfIssue {
  readonly level: ImpactLevel;
  readonly severity: Severity;
  /** As in "Every RPC of shop-mobile to mobile.shop.example fails", without a period and without a time. */
  readonly text: string;
  /** Why, as the client or the effective config states it; empty if the text says it. */
  readonly reason: string;
  /** The number of clients with this level, of those that were assessed. */
  readonly clients: number;
}

const severityOf: Readonly<Record<ImpactLevel, Severity>> = {
  'all-fail': 'critical',
  'some-fail': 'major',
  'tls-fails': 'major',
  waits: 'warning',
  frozen: 'warning',
  expires: 'warning',
  unknown: 'warning',
  none: 'minor',
};

/** States the worst impact on the assessed clients; `total` is the number of all clients that have the issue. */
export function describeImpact(assessed: readonly AssessedClient[], total: number): ImpactOfIssue {
  const rankOf = ({ impact }: AssessedClient): number =>
    rankOfImpact(impact.level) + (impact.isHypothetical ? impactLevels.length : 0);
  const [first] = [...assessed].sort(by(rankOf));
  if (first === undefined) {
    const text = 'Not known: the effective config is not assessed yet';
    return { level: 'unknown', severity: 'warning', text, reason: '', clients: 0 };
  }
  const { level, reason, isHypothetical } = first.impact;
  const same = assessed.filter((each) => rankOf(each) === rankOf(first));
  const who = nameClients(same, assessed.length, total);
  return {
    level,
    severity: isHypothetical && level !== 'none' ? 'warning' : severityOf[level],
    text: describe(first, who, same.length),
    reason: isInText(level) ? '' : reason,
    clients: same.length,
  };
}

/** Levels whose text contains the reason. */
function isInText(level: ImpactLevel): boolean {
  return level === 'none' || level === 'unknown' || level === 'tls-fails' || level === 'expires';
}

function describe({ impact, isEnvoy }: AssessedClient, who: string, count: number): string {
  const { level, listener, cluster, chain, reason, isOfTcp, isHypothetical, isPartial } = impact;
  const rpc = isOfTcp ? 'connection' : isEnvoy ? 'request' : 'RPC';
  const rpcs = `${rpc.charAt(0).toUpperCase()}${rpc.slice(1)}s`;
  const [fails, fail] = isHypothetical ? ['would fail', 'would fail'] : ['fails', 'fail'];
  const to = listener === null ? '' : ` to ${listener}`;
  switch (level) {
    case 'all-fail':
      return `Every ${rpc} of ${who}${to} ${fails}`;
    case 'some-fail':
      return chain === undefined
        ? `${isPartial ? `Some ${rpc}s` : rpcs} of ${who} to cluster ${cluster ?? ''} ${fail}`
        : `${rpcs} of ${who} to filter chain ${chain} of ${listener} ${fail}`;
    case 'waits':
      return listener === null
        ? `${rpcs} of ${who} may wait`
        : `New config of ${who} for ${listener} is withheld`;
    case 'frozen':
      return `New config does not reach ${who}`;
    case 'tls-fails':
    case 'expires':
      return `New TLS connections of ${who} ${reason}`;
    case 'unknown':
      return `Not known: ${reason}`;
    case 'none':
      return `None: ${reason}${count > 1 ? ` at ${who}` : ''}`;
  }
}

function nameClients(same: readonly AssessedClient[], assessed: number, total: number): string {
  const [only] = same;
  if (total === 1 && only !== undefined) return only.nodeId;
  if (same.length === assessed && assessed === total) return formatCounted(total, 'client');
  if (same.length === assessed) return `${formatCounted(total, 'client')} (${assessed} assessed)`;
  return `${same.length} of ${formatCounted(assessed, 'client')}${assessed < total ? ` that were assessed, of ${total}` : ''}`;
}
