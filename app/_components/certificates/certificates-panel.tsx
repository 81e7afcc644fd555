'use client';

import { useCertificates } from '@/app/_hooks/certificates-queries';
import type { CertificatePage } from '@/lib/api/certificates';
import { formatCounted } from '@/lib/format/count';
import { EmptyState } from '../empty-state';
import { ErrorState } from '../error-state';
import { Panel } from '../panel';
import { Skeleton } from '../skeleton';
import { CertificatesTable } from './certificates-table';

interface CertificatesPanelProps {
  /** Where nobody tells of any it says so; else it is not there then. */
  readonly showsNothing?: boolean;
}

/** What Envoys tell of their certificates, by when they end. */
export function CertificatesPanel({ showsNothing = false }: CertificatesPanelProps) {
  const { data, error, refetch } = useCertificates();
  if (data?.clients === 0 && !showsNothing) return null;
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
      {data !== undefined && <Certificates page={data} />}
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

function Certificates({ page: { items, clients } }: { readonly page: CertificatePage }) {
  if (clients > 0) return <CertificatesTable certificates={items} of="many" className="max-h-96 min-h-24" />;
  return (
    <EmptyState title="Nobody tells of certificates">
      An Envoy does over its admin interface: start xdscope with --envoy-admin host:port, or add one under
      Sources.
    </EmptyState>
  );
}
