import type { DiscoveryDocument } from '../../codec/codec';
import { type DecodeAs, decodeEnvelope, type EnvelopeResult } from './decode-response';

/** A response that came as JSON, YAML or text, as one that came over gRPC; what is unreadable in it keeps its place. */
export function toEnvelope(document: DiscoveryDocument, as: DecodeAs, sizeBytes: number): EnvelopeResult {
  const result = decodeEnvelope(document.message, as);
  if (result.kind === 'unreadable') return result;
  const resources = [...result.envelope.resources];
  for (const { index, name, reason } of document.unreadable)
    resources[index] = { unreadable: { name, reason } };
  return { kind: 'envelope', envelope: { ...result.envelope, sizeBytes, resources, notes: document.notes } };
}
