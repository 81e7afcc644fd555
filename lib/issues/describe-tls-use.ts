import { formatCounted } from '../format/count';
import type { CertificateOfIssue } from './issue-record';

interface TlsUse extends Pick<CertificateOfIssue, 'isExpired' | 'role'> {
  /** The filter chains and clusters that use the certificate, as in "cluster cart". Absent: not reported. */
  readonly users?: readonly string[];
}

const usersNamed = 2;

/**
 * A phrase that follows "New TLS connections of X", as in "through cluster cart fail where the peer verifies the certificate".
 * Connections that exist are not affected, and whether a peer verifies is known to the peer alone.
 */
export function describeTlsUse({ isExpired, role, users }: TlsUse): string {
  const place = users === undefined ? 'that use the certificate' : `through ${listUsers(users)}`;
  const fail = isExpired ? 'fail' : 'will fail after the expiry,';
  const where =
    role === 'chain'
      ? 'where the peer verifies the certificate'
      : 'where the peer is verified by these authorities';
  const unknown = users === undefined ? '; which listeners and clusters use it is not reported' : '';
  return `${place} ${fail} ${where}${unknown}`;
}

function listUsers(users: readonly string[]): string {
  const named = users.slice(0, usersNamed);
  const others = users.length - named.length;
  if (others > 0) return `${named.join(', ')} and ${formatCounted(others, 'more place')}`;
  return named.join(' and ');
}
