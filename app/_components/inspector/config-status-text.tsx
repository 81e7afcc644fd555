import { NotReported } from '@/app/_components/bytes-text';
import type { ResourceRowJson } from '@/lib/api/schema';
import type { ConfigStatus } from '@/lib/xds/status';

/** The sentences are those of envoy.service.status.v3.ConfigStatus, in short. */
const meanings: Readonly<Record<ConfigStatus, { word: string; means: string; className: string }>> = {
  UNKNOWN: {
    word: 'unknown',
    means: 'The control plane does not know, or does not say.',
    className: 'text-unknown',
  },
  SYNCED: { word: 'synced', means: 'Sent, and the client acknowledged it.', className: 'text-acked' },
  NOT_SENT: {
    word: 'not sent',
    means: 'The control plane has not sent the config, or has none to send.',
    className: 'text-unknown',
  },
  STALE: {
    word: 'stale',
    means: 'Sent, and not acknowledged: the client may be late, or have rejected it.',
    className: 'text-timeout',
  },
  ERROR: { word: 'error', means: 'Sent, and the client rejected it.', className: 'text-nacked' },
};

/** What the control plane says it sent; "not reported" where none spoke. Never the client's word. */
export function ConfigStatusText({ row }: { readonly row: ResourceRowJson }) {
  const spoke = row.controlPlane !== null || row.side === 'control-plane' || row.configStatus !== 'UNKNOWN';
  if (!spoke) return <NotReported why="no control plane reported" />;
  return <ConfigStatusWord status={row.configStatus} />;
}

export function ConfigStatusWord({ status }: { readonly status: ConfigStatus }) {
  const { word, means, className } = meanings[status];
  return (
    <span className={className} title={means}>
      {word}
    </span>
  );
}
