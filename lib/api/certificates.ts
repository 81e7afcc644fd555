/** GET certificates: those that Envoys report themselves, by when they expire. Times are ISO 8601 in UTC. Pages import types only. */
import { z } from 'zod';
import { described, epochTime, limit, offset } from './query-fields';
import { time } from './words';

const count = z.number().int();

export const certificate = z.object({
  clientId: z.string(),
  nodeId: z.string(),
  /** Which source reported it. */
  sourceId: z.string(),
  /** `chain`: shown to others; `ca`: what others are held against. */
  role: z.enum(['chain', 'ca']),
  /** The file, or Envoy's word for what is in its config; empty where it is not reported. */
  path: z.string(),
  serialNumber: z.string(),
  /** Subject alternative names: DNS names, URIs, IP addresses. */
  names: z.array(z.string()),
  validFrom: time.nullable(),
  /** null: not reported. */
  expiresAt: time.nullable(),
  /** When xdscope saw the list that it is in first. */
  seenAt: time,
});

export const certificatePage = z.object({
  /** What expires first comes first; what does not tell when comes last. */
  items: z.array(certificate),
  /** That match, on this page or not. */
  total: count,
  /** Clients that reported their certificates. */
  clients: count,
  /** Of these: lists that could not be read, since their bodies are not kept any longer. */
  unread: count,
  /** Of those that match: expired, or to expire within 30 days. */
  expired: count,
  soon: count,
});

export const certificatesQuery = z.strictObject({
  client: described(z.string().optional(), 'Id of the client. Default: all.'),
  q: described(
    z.string().max(4_096).default(''),
    'Part of a node id, or of a name, the path or the serial number of a certificate, whatever the case.',
  ),
  before: epochTime('ISO 8601: only certificates that expire before this moment.'),
  offset: offset('Certificates'),
  limit: limit('certificates', { min: 1, max: 1_000, otherwise: 100 }),
});

export type CertificatesQuery = z.infer<typeof certificatesQuery>;

export type Certificate = z.infer<typeof certificate>;
export type CertificatePage = z.infer<typeof certificatePage>;
