import { normaliseTypeUrl } from '@/lib/xds/resource-type';
import type { Body } from '../observe';
import { isPlainResource } from './is-plain-resource';
import { maskPrivateKeys } from './mask-private-keys';
import { type RedactedBytes, redactWire } from './redact-wire';
import { markTexts, type RedactionMarker } from './redaction-marker';
import { findMessageType } from './root';
import { maskInPlace } from './secrets/mask-in-place';
import { redactText } from './secrets/redact-text';
import { mayHoldSecretValue } from './secrets/trigger-scan';
import { sha256 } from './sha256';

export interface TakenBody {
  readonly body: Body;
  /** JSON paths of what was replaced by markers. */
  readonly redacted: readonly string[];
}

/** The only way from bytes of the outside to a Body: redacts, then hashes. Bytes without secrets come back as they are. */
export function takeBody(typeUrl: string, bytes: Uint8Array, marker: RedactionMarker): TakenBody {
  const normalised = normaliseTypeUrl(typeUrl);
  // Most are plain, which is found out in a fraction of the time.
  const isPlain = isPlainResource(normalised, bytes) && !mayHoldSecretValue(bytes);
  const bySchema = isPlain ? { bytes, redacted: [] } : redactBytes(normalised, bytes, marker);
  const { bytes: clean, masked } = maskPrivateKeys(bySchema.bytes);
  const hash = sha256(clean);
  return {
    body: { hash, typeUrl: redactTypeUrl(normalised, marker), bytes: clean },
    redacted: masked === 0 ? bySchema.redacted : [...bySchema.redacted, '(text of a private key)'],
  };
}

/** A peer may name a type that nobody knows, with any text. */
function redactTypeUrl(typeUrl: string, marker: RedactionMarker): string {
  return findMessageType(typeUrl) === undefined ? redactText(typeUrl, markTexts(marker)) : typeUrl;
}

function redactBytes(typeUrl: string, bytes: Uint8Array, marker: RedactionMarker): RedactedBytes {
  const type = findMessageType(typeUrl);
  if (type !== undefined) return redactWire(type, bytes, marker);
  const masked = maskInPlace(bytes, (secret) => marker(Buffer.from(secret, 'latin1')));
  return { bytes: masked, redacted: masked === bytes ? [] : ['(text of an unknown type)'] };
}
