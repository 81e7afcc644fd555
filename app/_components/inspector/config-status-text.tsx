import { NotReported } from '@/app/_components/bytes-text';
import type { ResourceRowJson } from '@/lib/views/resources/row-schema';
import type { ConfigStatus } from '@/lib/xds/status';

/** Short forms of the comments of envoy.service.status.v3.ConfigStatus. */
const meanings: Readonly<Record<ConfigStatus, { means: string; className: string }>> = {
  UNKNOWN: { means: 'The control plane does not report the state.', className: 'text-unknown' },
  SYNCED: { means: 'Sent and acknowledged.', className: 'text-acked' },
  NOT_SENT: { means: 'Not sent, or there is no config to send.', className: 'text-unknown' },
  STALE: { means: 'Sent but not acknowledged: late or rejected.', className: 'text-timeout' },
  ERROR: { means: 'Sent and rejected.', className: 'text-nacked' },
};

/** config_status of the control plane; "not reported" without a control plane. */
export function ConfigStatusText({ row }: { readonly row: ResourceRowJson }) {
  const isReported =
    row.controlPlane !== null || row.side === 'control-plane' || row.configStatus !== 'UNKNOWN';
  if (!isReported) return <NotReported why="not reported by a control plane" />;
  return <ConfigStatusName status={row.configStatus} />;
}

export function ConfigStatusName({ status }: { readonly status: ConfigStatus }) {
  const { means, className } = meanings[status];
  return (
    <span className={className} title={means}>
      {status}
    </span>
  );
}
