'use client';

import { formatCounted } from '@/lib/format/count';
import { CertificatesTable } from '../../_components/certificates/certificates-table';
import { ErrorState } from '../../_components/error-state';
import { Panel } from '../../_components/panel';
import { Skeleton } from '../../_components/skeleton';
import { useCertificates } from '../../_hooks/certificates-queries';

/** What Envoys tell of their certificates; shown only where one tells. */
export function CertificatesPanel() {
  const { data, error, refetch } = useCertificates();
  if (data?.clients === 0) return null;
  const more = data === undefined ? 0 : data.total - data.items.length;
  const partial = [
    more > 0 ? `${formatCounted(more, 'certificate')} more expire later` : '',
    data !== undefined && data.unread > 0 ? `${formatCounted(data.unread, 'list')} not kept any longer` : '',
  ];
  return (
    <Panel
      title="Certificates"
      vantage={describe(data)}
      partial={partial.filter((part) => part !== '').join(', ')}
      flush
    >
      {data === undefined && error !== null && (
        <ErrorState title="The certificates could not be read" error={error} onRetry={() => void refetch()} />
      )}
      {data === undefined && error === null && <Skeleton waitsFor="the certificates" />}
      {data !== undefined && (
        <CertificatesTable certificates={data.items} of="many" className="max-h-96 min-h-24" />
      )}
    </Panel>
  );
}

function describe(data: { readonly expired: number; readonly soon: number } | undefined): string {
  if (data === undefined) return 'as Envoys tell';
  const { expired, soon } = data;
  const counts = [expired > 0 ? `${expired} expired` : '', soon > 0 ? `${soon} within 30 days` : ''].filter(
    (part) => part !== '',
  );
  return `as Envoys tell${counts.length === 0 ? '' : `: ${counts.join(', ')}`}`;
}
