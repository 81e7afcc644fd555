/** GET certificates: those that Envoys tell of themselves, by when they expire. Times are ISO 8601 in UTC. Pages import types only. */
import { z } from 'zod';
import { time } from './words';

const count = z.number().int();

export const certificate = z.object({
  clientId: z.string(),
  nodeId: z.string(),
  /** Who told it. */
  sourceId: z.string(),
  /** `chain`: shown to others; `ca`: what others are held against. */
  role: z.enum(['chain', 'ca']),
  /** The file, or Envoy's word for what is in its config; empty where it is not told. */
  path: z.string(),
  serialNumber: z.string(),
  /** Subject alternative names: DNS names, URIs, IP addresses. */
  names: z.array(z.string()),
  validFrom: time.nullable(),
  /** null: not told. */
  expiresAt: time.nullable(),
  /** When xdscope saw the list that it is in first. */
  seenAt: time,
});

export const certificatePage = z.object({
  /** What expires first comes first; what does not tell when comes last. */
  items: z.array(certificate),
  /** That match, on this page or not. */
  total: count,
  /** Clients that told of their certificates. */
  clients: count,
  /** Of these: lists that could not be read, since their bodies are not kept any longer. */
  unread: count,
  /** Of those that match: expired, or to expire within 30 days. */
  expired: count,
  soon: count,
});

export const certificatesQuery = z.strictObject({
  /** Of this client only. */
  client: z.string().optional(),
  /** Part of a node id, of a name that it is for, of its path or of its serial number; case does not matter. */
  q: z.string().max(4_096).default(''),
  /** What expires before this moment. */
  before: time.optional(),
  offset: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
});

export type Certificate = z.infer<typeof certificate>;
export type CertificatePage = z.infer<typeof certificatePage>;
