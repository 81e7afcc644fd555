/** GET certificates: the certificates that Envoys report and those in secrets (SDS). */
import * as z from 'zod';
import { time } from '../fields/answer-fields';
import { described, epochTime, limit, offset } from '../fields/query-fields';
import { certificateSortColumns } from './sort-columns';

const count = z.number().int();

const certificate = z.object({
  clientId: z.string(),
  nodeId: z.string(),
  sourceId: z.string(),
  /** `chain`: presented to peers; `ca`: peers are verified against it. */
  role: z.enum(['chain', 'ca']),
  /** The file, or Envoy's text for inline config; empty: not reported. */
  path: z.string(),
  serialNumber: z.string(),
  /** The distinguished name of the issuer; empty: not reported, as by Envoy's admin interface. */
  issuer: z.string(),
  /** The secret (SDS) of the client that contains the certificate; absent: none is known. */
  secret: z.string().optional(),
  /** Subject alternative names: DNS names, URIs, IP addresses. */
  names: z.array(z.string()),
  validFrom: time.optional(),
  /** Absent: not reported. */
  expiresAt: time.optional(),
  /** The time of the snapshot of a file, by which its expiry is judged. Absent: now, or not known. */
  snapshotAt: time.optional(),
  /** The file states no time: nothing is known of the expiry. */
  isUndated: z.literal(true).optional(),
  /** The time at which xdscope first received the list that contains it. */
  seenAt: time,
});

export const certificatePage = z.object({
  /** The certificates in the requested order. */
  items: z.array(certificate),
  /** The number of matches on all pages. */
  total: count,
  clients: count,
  /** Lists that could not be read, because their bodies are no longer stored. */
  unread: count,
  /** Matches that are expired, or that expire within 30 days. */
  expired: count,
  soon: count,
});

export const certificatesQuery = z.strictObject({
  client: described(z.string().optional(), 'Id of the client. Default: all.'),
  q: described(
    z.string().max(4_096).default(''),
    'Part of a node id, or of a name, the path or the serial number of a certificate, whatever the case.',
  ),
  sort: described(
    z
      .enum([...certificateSortColumns, ...certificateSortColumns.map((column) => `-${column}` as const)])
      .default('expires'),
    'A column; with "-" in descending order. Certificates without a value are last, and equal ones by expiration time.',
  ),
  before: epochTime('ISO 8601: only certificates that expire before this moment.'),
  offset: offset('Certificates'),
  limit: limit('certificates', { min: 1, max: 1_000, otherwise: 100 }),
});

export type CertificatesQuery = z.infer<typeof certificatesQuery>;

export type Certificate = z.infer<typeof certificate>;
export type CertificatePage = z.infer<typeof certificatePage>;
