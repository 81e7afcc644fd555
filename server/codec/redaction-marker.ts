import { createHmac } from 'node:crypto';

/** What stands in the place of a secret. The digest is keyed: it shows that a secret changed, and nothing else. */
export type RedactionMarker = (secret: Uint8Array) => string;

export function createRedactionMarker(key: Uint8Array): RedactionMarker {
  return (secret) => `[redacted hmac-sha256:${keyedDigest(key, secret)}]`;
}

/** The same for text. */
export function markTexts(marker: RedactionMarker): (secret: string) => string {
  return (secret) => marker(Buffer.from(secret));
}

/** 16 hex digits. Who does not have the key cannot find out by trying what the bytes were. */
export function keyedDigest(key: Uint8Array, bytes: Uint8Array): string {
  return createHmac('sha256', key).update(bytes).digest('hex').slice(0, 16);
}

/** Ours, and Envoy's own "[redacted]" of config dumps. */
const markerPattern = /^\[redacted(?: hmac-sha256:[0-9a-f]{16})?\]$/;
const longestMarker = 64;
const markerInText = /\[redacted(?: hmac-sha256:[0-9a-f]{16})?\]/;

/** A part of it was masked, or all of it. */
export function holdsRedactionMarker(text: string): boolean {
  return text.includes('[redacted') && markerInText.test(text);
}

export function isRedactionMarker(text: string): boolean {
  return text.length <= longestMarker && markerPattern.test(text);
}

export function isRedactionMarkerBytes(bytes: Uint8Array): boolean {
  return bytes.length <= longestMarker && isRedactionMarker(Buffer.from(bytes).toString('latin1'));
}
