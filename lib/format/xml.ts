const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

export function escapeXml(text: string): string {
  return printable(text).replace(/[&<>"]/g, (letter) => entities[letter] ?? letter);
}

/** A peer may send control characters in names: a terminal obeys them, and XML has no notation for them. */
export function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, '\ufffd');
}
