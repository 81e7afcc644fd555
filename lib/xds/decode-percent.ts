/** What percent-encoding stands for (RFC 3986); undefined: it is none, or stands for no UTF-8. */
export function decodePercent(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
