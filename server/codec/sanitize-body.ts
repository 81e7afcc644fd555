import { normaliseTypeUrl } from '@/lib/xds/resource-type';
import type { Body } from '../observe';
import { canonicalWire } from './canonical-wire';
import { maskPrivateKeys } from './mask-private-keys';
import { type RedactedBytes, redactWire } from './redact-wire';
import { markTexts, type RedactionMarker } from './redaction-marker';
import { findMessageType } from './root';
import { maskInPlace } from './secrets/mask-in-place';
import { redactText } from './secrets/redact-text';
import { sha256 } from './sha256';

export interface SanitizedBody {
  readonly body: Body;
  /** JSON paths of the redacted values. */
  readonly redacted: readonly string[];
}

/**
 * Only this function makes a Body of received bytes: it redacts, brings maps into order, then hashes. Equal content has
 * equal bytes, whoever reported it. Bytes without secrets and in order are not copied.
 */
export function sanitizeBody(typeUrl: string, bytes: Uint8Array, marker: RedactionMarker): SanitizedBody {
  const normalised = normaliseTypeUrl(typeUrl);
  const bySchema = redactBytes(normalised, bytes, marker);
  const { bytes: clean, masked } = maskPrivateKeys(bySchema.bytes);
  const canonical = canonicalWire(normalised, clean);
  const hash = sha256(canonical);
  return {
    body: { hash, typeUrl: redactTypeUrl(normalised, marker), bytes: canonical },
    redacted: masked === 0 ? bySchema.redacted : [...bySchema.redacted, '(text of a private key)'],
  };
}

/** The type URL of an unknown type can be any text of the peer. */
function redactTypeUrl(typeUrl: string, marker: RedactionMarker): string {
  return findMessageType(typeUrl) === undefined ? redactText(typeUrl, markTexts(marker)) : typeUrl;
}

function redactBytes(typeUrl: string, bytes: Uint8Array, marker: RedactionMarker): RedactedBytes {
  const type = findMessageType(typeUrl);
  if (type !== undefined) return redactWire(type, bytes, marker);
  const masked = maskInPlace(bytes, marker);
  return { bytes: masked, redacted: masked === bytes ? [] : ['(text of an unknown type)'] };
}
