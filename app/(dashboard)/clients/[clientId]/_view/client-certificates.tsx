'use client';

import { CertificatesTable } from '@/app/_components/certificates/certificates-table';
import { ExpiryText } from '@/app/_components/certificates/expiry-text';
import { ErrorState } from '@/app/_components/error-state';
import { useClientCertificates } from '@/app/_hooks/queries';
import { formatCounted } from '@/lib/format/count';

/** What the client's admin interface reports its certificates: a line with the next one to expire, a click from all. */
export function ClientCertificates({ clientId }: { readonly clientId: string }) {
  const { data, error, refetch } = useClientCertificates(clientId);
  if (data === undefined && error !== null) {
    return (
      <ErrorState title="The certificates could not be read" error={error} onRetry={() => void refetch()} />
    );
  }
  if (data === undefined) return <span className="text-muted">Certificates: reading</span>;
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
            , the earliest end: <ExpiryText iso={first.expiresAt} />
          </>
        )}
        {data.total > data.items.length && ` (the ${data.items.length} that expire first are listed)`}
        {data.unread > 0 && `, ${formatCounted(data.unread, 'list')} not kept any longer`}
      </summary>
      <div className="mt-1 overflow-hidden rounded-md border border-line bg-raised">
        <CertificatesTable certificates={data.items} of="one" className="max-h-60 min-h-24" />
      </div>
    </details>
  );
}
