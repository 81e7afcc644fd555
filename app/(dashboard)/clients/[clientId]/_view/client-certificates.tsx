'use client';

import { useQuestion } from '@/app/_ask/use-question';
import { CertificatesTable } from '@/app/_components/certificates/certificates-table';
import { ExpiryText } from '@/app/_components/certificates/expiry-text';
import { ErrorState } from '@/app/_components/error-state';
import { formatCounted } from '@/lib/format/count';

/** The certificates of the client's admin interface: a summary with the next expiry, and the table on demand. */
export function ClientCertificates({ clientId }: { readonly clientId: string }) {
  const { data, error, refetch } = useQuestion('certificates', { client: clientId, limit: 1_000 });
  if (data === undefined && error !== null) {
    return <ErrorState title="Couldn’t load the certificates" error={error} onRetry={() => void refetch()} />;
  }
  if (data === undefined) return <span className="text-muted">Loading certificates</span>;
  if (data.clients === 0) return null;
  const [first] = data.items;
  const isTrouble = data.expired > 0 || data.soon > 0;
  return (
    <details className="min-w-0 open:basis-full">
      <summary
        className={`w-fit cursor-pointer rounded hover:text-text ${isTrouble ? 'text-timeout' : 'text-muted'}`}
      >
        {formatCounted(data.total, 'certificate')}
        {first !== undefined && (
          <>
            , earliest expiry: <ExpiryText at={first.expiresAt} />
          </>
        )}
        {data.total > data.items.length && ` (the first ${data.items.length} to expire are listed)`}
        {data.unread > 0 && `, ${formatCounted(data.unread, 'list')} no longer kept`}
      </summary>
      <div className="mt-1 overflow-hidden rounded-md border border-line bg-raised">
        <CertificatesTable certificates={data.items} of="one" className="max-h-60 min-h-24" />
      </div>
    </details>
  );
}
