import { Fragment } from 'react';
import { separator } from '@/app/_components/separator';
import { formatCount } from '@/lib/format/count';
import type { TypeSummary } from '@/lib/views/client/schema';
import { statusShape } from '@/lib/views/drawing/status-shape';
import { buildConfigStatusCounts, buildStateCounts } from '@/lib/views/fleet/build-status-counts';
import type { ConfigStatus } from '@/lib/xds/status';
import { StatusMark } from './status-mark';

/** Resources of one type by state, as in "▲ 1  ● 6", worst first. */
export function StateCounts({ counts }: { readonly counts: TypeSummary['byState'] }) {
  return (
    <span className="inline-flex items-center gap-2">
      {buildStateCounts(counts).map(({ status, count }) => (
        <span
          key={status}
          className="inline-flex items-center gap-1"
          title={`${formatCount(count)} ${statusShape(status).word}`}
        >
          <StatusMark status={status} word={false} sizePx={10} />
          {/* Counts of statuses that are as intended are not emphasised. */}
          <span className={status === 'ACKED' || status === 'ACTIVE' ? undefined : 'font-semibold'}>
            {formatCount(count)}
          </span>
        </span>
      ))}
    </span>
  );
}

const tones: Partial<Readonly<Record<ConfigStatus, string>>> = {
  STALE: 'text-timeout font-medium',
  ERROR: 'text-nacked font-medium',
};

/** Resources of one type by config_status, as in "6 SYNCED"; without shapes, which are the client's. */
export function ConfigStatusCounts({ counts }: { readonly counts: TypeSummary['byConfigStatus'] }) {
  const all = buildConfigStatusCounts(counts);
  const title = `control plane: ${all.map(({ status, count }) => `${count} ${status}`).join(', ')}`;
  return (
    <span className="text-muted" title={title}>
      {all.map(({ status, count }, index) => (
        <Fragment key={status}>
          {index > 0 && separator}
          <span className={`whitespace-nowrap ${tones[status] ?? ''}`}>
            {formatCount(count)} {status}
          </span>
        </Fragment>
      ))}
    </span>
  );
}
