import { createHmac } from 'node:crypto';

/** Returns the marker that replaces a secret. The keyed digest in it shows only whether the secret changed. */
export type RedactionMarker = (secret: Uint8Array) => string;

export function createRedactionMarker(key: Uint8Array): RedactionMarker {
  return (secret) => `[redacted hmac-sha256:${keyedDigest(key, secret)}]`;
}

export function markTexts(marker: RedactionMarker): (secret: string) => string {
  return (secret) => marker(Buffer.from(secret));
}

/** Returns 16 hex digits. Without the key, guessed bytes cannot be verified. */
export function keyedDigest(key: Uint8Array, bytes: Uint8Array): string {
  return createHmac('sha256', key).update(bytes).digest('hex').slice(0, 16);
}

/** Matches the markers of xdscope and the "[redacted]" of Envoy's config dumps. */
const markerPattern = /^\[redacted(?: hmac-sha256:[0-9a-f]{16})?\]$/;
const longestMarker = 64;
const markerInText = /\[redacted(?: hmac-sha256:[0-9a-f]{16})?\]/;

/** Returns whether the text is a marker or contains one. */
export function holdsRedactionMarker(text: string): boolean {
  return text.includes('[redacted') && markerInText.test(text);
}

export function isRedactionMarker(text: string): boolean {
  return text.length <= longestMarker && markerPattern.test(text);
}

export function isRedactionMarkerBytes(bytes: Uint8Array): boolean {
  return bytes.length <= longestMarker && isRedactionMarker(Buffer.from(bytes).toString('latin1'));
}
