import { isUtf8 } from 'node:buffer';
import type { RedactionMarker } from '../redaction-marker';
import { WireCursor } from '../wire-cursor';
import type { Mark } from './placeholder';
import { coverEncoded } from './redact-encoded';
import { applyValueRules } from './redact-text';
import { mayHoldSecretValue } from './trigger-scan';

const maxDepth = 32;

/**
 * Masks secrets in bytes of an unknown type. The type of each part is a guess, so the lengths of enclosing messages
 * cannot be rewritten: a secret is overwritten by a marker that is padded with "*", or only by "*" if it is shorter
 * than the marker. Returns the same array if there is none.
 */
export function maskInPlace(bytes: Uint8Array, marker: RedactionMarker): Uint8Array {
  if (!mayHoldSecretValue(bytes)) return bytes;
  const copy = Buffer.from(bytes);
  return maskMessage(copy, marker, 0) ? copy : bytes;
}

/** Reads bytes that decode as a message and are not text, so that a value never reaches into the next field. */
function maskMessage(bytes: Buffer, marker: RedactionMarker, depth: number): boolean {
  if (!mayHoldSecretValue(bytes)) return false;
  const isShown = isText(bytes);
  // A short message can be text as well: the byte of a length is a letter then, which is not a part of the first word.
  if (depth > maxDepth || !isMessage(bytes))
    return isShown ? maskText(bytes, marker) : maskRuns(bytes, marker);
  let isMasked = false;
  const cursor = new WireCursor(bytes);
  while (cursor.next()) {
    const inner = bytes.subarray(cursor.valueStart, cursor.fieldEnd);
    if (cursor.wireType === 2) isMasked = maskMessage(inner, marker, depth + 1) || isMasked;
    else if (cursor.wireType === 3) isMasked = maskRuns(inner, marker) || isMasked;
  }
  return (isShown && maskText(bytes, marker)) || isMasked;
}

function isMessage(bytes: Uint8Array): boolean {
  const cursor = new WireCursor(bytes);
  while (cursor.next()) if (cursor.missingBytes > 0) return false;
  return !cursor.malformed;
}

function isText(bytes: Buffer): boolean {
  return isUtf8(bytes) && !bytes.some(isControl);
}

/** Masks secrets in each run of printable characters. */
function maskRuns(bytes: Buffer, marker: RedactionMarker): boolean {
  let isMasked = false;
  let start = 0;
  for (let at = 0; at <= bytes.length; at++) {
    if (at < bytes.length && !isControl(bytes[at] ?? 0)) continue;
    if (at - start >= 6) isMasked = maskText(bytes.subarray(start, at), marker) || isMasked;
    start = at + 1;
  }
  return isMasked;
}

export function isControl(byte: number): boolean {
  return byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d;
}

function maskText(bytes: Buffer, marker: RedactionMarker): boolean {
  if (!mayHoldSecretValue(bytes)) return false;
  const encoding = isUtf8(bytes) ? 'utf8' : 'latin1';
  const bytesOf = (part: string): Buffer => Buffer.from(part, encoding);
  const mark: Mark = (secret) => marker(bytesOf(secret));
  const text = bytes.toString(encoding);
  const plain = applyValueRules(text, (secret) => cover(mark(secret), bytesOf(secret)));
  const masked = coverEncoded(
    plain,
    (decoded) => applyValueRules(decoded, mark),
    (part) => bytesOf(part).length,
  );
  return masked !== text && bytes.write(masked, encoding) > 0;
}

/** The result has as many bytes as the secret. It keeps line breaks, so that the key remains recognisable as one. */
function cover(marker: string, secret: Buffer): string {
  const covered = secret.toString('latin1').replace(/[^\r\n]/g, '*');
  return marker.length > secret.length || /[\r\n]/.test(covered)
    ? covered
    : marker.padEnd(secret.length, '*');
}
