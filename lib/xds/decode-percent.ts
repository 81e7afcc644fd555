/** Decodes percent-encoding (RFC 3986). Returns undefined if it is malformed or does not decode to UTF-8. */
export function decodePercent(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
