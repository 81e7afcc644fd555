/**
 * Redacts the content of each JSON string with escapes, because an escaped line break or quotation mark decides what is
 * a secret. It is linear, because each level of quotation at least doubles the backslashes.
 */
export function redactQuoted(text: string, redact: (text: string) => string): string {
  if (!text.includes('\\')) return text;
  let redacted = '';
  let copiedTo = 0;
  for (let start = text.indexOf('"'); start !== -1; ) {
    const end = findEnd(text, start + 1);
    if (end === -1) break;
    const content = parse(text.slice(start, end + 1));
    const changed = content === undefined ? undefined : redact(content);
    if (changed !== undefined && changed !== content) {
      redacted += text.slice(copiedTo, start) + JSON.stringify(changed);
      copiedTo = end + 1;
    }
    start = text.indexOf('"', end + 1);
  }
  return redacted + text.slice(copiedTo);
}

/** Returns the place of the closing quotation mark, or -1 if there is none. */
function findEnd(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at;
  }
  return -1;
}

/** Returns undefined if the text is no JSON string or has no escapes. */
function parse(quoted: string): string | undefined {
  if (!quoted.includes('\\')) return undefined;
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return undefined;
  }
}
