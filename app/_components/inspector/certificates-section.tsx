'use client';

import { useQuestion } from '@/app/_ask/use-question';
import { ExpiryText } from '../certificates/expiry-text';
import { ErrorLine } from '../error-line';
import { NameText } from '../name-text';

interface CertificatesSectionProps {
  readonly clientId: string;
  readonly secret: string;
}

/** The certificates in a secret; what uses the secret is listed below it. */
export function CertificatesSection({ clientId, secret }: CertificatesSectionProps) {
  const { data, error } = useQuestion('certificates', { client: clientId, limit: 1_000 });
  if (data === undefined) return error === null ? null : <ErrorLine error={error} />;
  const own = data.items.filter((certificate) => certificate.secret === secret);
  if (own.length === 0) return null;
  return (
    <section aria-label="Certificates">
      <h3 className="text-small font-semibold">Certificates</h3>
      <ul className="mt-1 flex flex-col gap-2 text-small">
        {own.map(({ role, serialNumber, names, issuer, path, ...validity }) => (
          <li key={`${role} ${serialNumber} ${path}`} className="min-w-0">
            <p className="flex flex-wrap items-baseline gap-x-3">
              <NameText name={names.join(', ') || (role === 'ca' ? 'an authority' : 'no name')} />
              <span className="note">{role === 'ca' ? 'verifies peers' : 'presented to peers'}</span>
              <ExpiryText certificate={validity} />
            </p>
            {issuer !== '' && <p className="note wrap-anywhere">issued by {issuer}</p>}
            {serialNumber !== '' && (
              <p className="note">
                serial number <span className="font-mono wrap-anywhere">{serialNumber}</span>
              </p>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
