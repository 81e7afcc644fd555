/** Returns undefined for bytes that are not text: binary protobuf contains control characters or invalid UTF-8. */
export function decodeText(bytes: Uint8Array): string | undefined {
  // In UTF-8, a byte below 32 is always a control character.
  for (const byte of bytes) if (byte < 9 || (byte > 13 && byte < 32)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
