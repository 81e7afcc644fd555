import { compareSortValues } from '@/lib/format/compare-names';
import type { CertificateFacts } from '@/lib/views/certificates/read-certificates';
import type { CertificatePage, CertificatesQuery } from '@/lib/views/certificates/schema';
import type { certificateSortColumns } from '@/lib/views/certificates/sort-columns';
import type { EpochMs } from '@/lib/xds/units';
import type { Clock } from '../../observe';
import type { CertificateReader, FoundCertificate } from './certificate-reader';

interface CertificatesApiParts {
  readonly clock: Pick<Clock, 'now'>;
  readonly certificates: Pick<CertificateReader, 'find'>;
}

const soonMs = 30 * 24 * 3_600_000;

type CertificateSortColumn = (typeof certificateSortColumns)[number];

/** The certificates of clients, filtered and in the requested order. */
export class CertificatesApi {
  readonly #parts: CertificatesApiParts;

  constructor(parts: CertificatesApiParts) {
    this.#parts = parts;
  }

  async list(
    { client, q, sort, before, offset, limit }: CertificatesQuery,
    signal?: AbortSignal,
  ): Promise<CertificatePage> {
    const { clock, certificates } = this.#parts;
    const { items, clients, unread } = await certificates.find(client, signal);
    const wanted = q.toLowerCase();
    const found = items.filter(
      (each) => (before === undefined || expiryOf(each) < before) && hasText(each.nodeId, each, wanted),
    );
    // Equal expiration times keep the order of the clients.
    found.sort((a, b) => compareSortValues(a.expiresAt, b.expiresAt, false));
    const sorted = sort === 'expires' ? found : sortFound(found, sort);
    const now = clock.now();
    const within = (ms: number): number =>
      found.filter((each) => !each.isUndated && expiryOf(each) <= (each.snapshotAt ?? now) + ms).length;
    const expired = within(0);
    return {
      items: sorted.slice(offset, offset + limit).map(({ isInEffect: _, ...each }) => each),
      ...{ total: found.length, clients, unread, expired, soon: within(soonMs) - expired },
    };
  }
}

const sortValues: Readonly<
  Record<CertificateSortColumn, (each: FoundCertificate) => string | number | null | undefined>
> = {
  expires: ({ expiresAt }) => expiresAt,
  client: ({ nodeId }) => nodeId,
  names: ({ names: [first] }) => first ?? null,
  issuer: ({ issuer }) => issuer || null,
  role: ({ role }) => role,
  secret: ({ secret }) => secret,
  path: ({ path }) => path || null,
};

function sortFound(found: readonly FoundCertificate[], sort: CertificatesQuery['sort']): FoundCertificate[] {
  const isDescending = sort.startsWith('-');
  const readValue = sortValues[sort.replace(/^-/, '') as CertificateSortColumn];
  return found.toSorted((a, b) => compareSortValues(readValue(a), readValue(b), isDescending));
}

function expiryOf({ expiresAt }: CertificateFacts): EpochMs {
  return expiresAt ?? Number.POSITIVE_INFINITY;
}

/** `text` is in lower case. */
function hasText(
  nodeId: string,
  {
    names,
    path,
    serialNumber,
    issuer,
    secret,
  }: Pick<FoundCertificate, 'names' | 'path' | 'serialNumber' | 'issuer' | 'secret'>,
  wanted: string,
): boolean {
  if (wanted === '') return true;
  return [nodeId, path, serialNumber, issuer, secret ?? '', ...names].some((text) =>
    text.toLowerCase().includes(wanted),
  );
}
