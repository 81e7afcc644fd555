/** undefined for what is no text: binary protobuf has control characters, mostly at once, or is no UTF-8. */
export function decodeText(bytes: Uint8Array): string | undefined {
  // In UTF-8 a byte below 32 is that control character, and never a part of another one.
  for (const byte of bytes) if (byte < 9 || (byte > 13 && byte < 32)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
