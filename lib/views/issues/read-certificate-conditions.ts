import { group } from 'd3';
import { by } from '../../collections/compare';
import { judgeTerm } from '../../issues/certificate-term';
import { impact } from '../../issues/client-impact';
import { describeTlsUse } from '../../issues/describe-tls-use';
import type { CertificateOfIssue, IssueCause, IssuePeriod } from '../../issues/issue-record';
import { SDS } from '../../xds/resource-type';
import type { EpochMs } from '../../xds/units';
import type { Certificate } from '../certificates/schema';

export type JudgedCertificate = Pick<
  Certificate,
  | 'clientId'
  | 'role'
  | 'path'
  | 'secret'
  | 'names'
  | 'serialNumber'
  | 'validFrom'
  | 'expiresAt'
  | 'snapshotAt'
  | 'isUndated'
> & {
  /** False for a certificate of a secret that is not in effect. */
  readonly isInEffect: boolean;
};

export interface CertificateCondition {
  readonly cause: IssueCause & { readonly kind: 'certificate'; readonly certificate: CertificateOfIssue };
  readonly period: IssuePeriod;
}

/** The document of Envoy that lists certificates which are in no known secret. */
export const certificateList = {
  typeUrl: 'type.googleapis.com/envoy.admin.v3.Certificates',
  name: 'certs',
} as const;

/**
 * The certificates that have expired or were due to be renewed, each at the time of its file or at `at`. Peers are verified by
 * any authority of a secret, so that it counts by the one that expires last.
 */
export function readCertificateConditions(
  certificates: readonly JudgedCertificate[],
  at: EpochMs,
): CertificateCondition[] {
  const judged = certificates.filter(({ isInEffect, isUndated }) => isInEffect && !isUndated);
  const places = group(judged, ({ clientId, role, secret, path }) =>
    JSON.stringify([clientId, role, secret ?? null, secret === undefined ? path : '']),
  );
  return [...places.values()]
    .flatMap((some) => conditionOf(some, at) ?? [])
    .sort(by(({ period }) => period.from));
}

function conditionOf(some: readonly JudgedCertificate[], at: EpochMs): CertificateCondition | undefined {
  const sorted = some.toSorted(by(({ expiresAt }) => expiresAt ?? Number.POSITIVE_INFINITY));
  const chosen = sorted.at(sorted[0]?.role === 'ca' ? -1 : 0);
  if (chosen?.expiresAt === undefined) return undefined;
  const { clientId, role, secret, path, names, serialNumber, expiresAt, snapshotAt } = chosen;
  const term = judgeTerm(chosen, snapshotAt ?? at);
  if (term === undefined) return undefined;
  const { isExpired, from } = term;
  const place = secret === undefined ? certificateList : { typeUrl: SDS.typeUrl, name: secret };
  const level = isExpired ? 'tls-fails' : 'expires';
  return {
    cause: {
      ...{ kind: 'certificate', side: 'client', ...place, text: '' },
      rule: [role, isExpired ? 'expired' : 'expires', ...(secret === undefined ? [path] : [])].join(' '),
      certificate: { isExpired, role, path, names, serialNumber, expiresAt, capturedAt: snapshotAt },
    },
    period: {
      ...{ clientId, from, to: undefined, end: undefined, fromSeq: null, toSeq: null },
      ...{ versionInfo: '', keepsAccepted: null, resources: some.length },
      // What uses a secret is known by the config of the client.
      ...(secret === undefined && {
        impact:
          role === 'ca'
            ? impact('unknown', { reason: firstAuthority })
            : impact(level, { reason: describeTlsUse({ isExpired, role }) }),
      }),
    },
  };
}

const firstAuthority =
  'Envoy lists only the first authority of a bundle, so that another one may be valid; what uses it is not reported';
