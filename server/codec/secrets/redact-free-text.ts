import type { Mark } from './placeholder';
import { redactText } from './redact-text';

/** The limit of errors, user agents and texts of metadata. */
const mostFreeChars = 8_192;
/** Secrets that begin within the limit are recognised by what follows them. */
const lookahead = 4_096;
const markRoom = 128;

/**
 * Redacts a text that is not part of a resource. A longer text than `mostFreeChars` is cut before any rule reads it; its
 * length and keyed digest follow its beginning, so that equal texts remain equal and different ones different.
 */
export function redactFreeText(text: string, mark: Mark): string {
  if (text.length <= mostFreeChars) return redactText(text, mark);
  const start = redactText(text.slice(0, mostFreeChars + lookahead), mark)
    .slice(0, mostFreeChars - markRoom)
    // Neither a marker nor a surrogate pair is cut in half.
    .replace(/(?:\[redacted[^\]]{0,40}|[\ud800-\udbff])$/, '');
  const digest = /hmac-sha256:\w+/.exec(mark(text))?.[0];
  const length = `${text.length.toLocaleString('en-US')} characters`;
  return `${start}… [cut: ${[length, digest].filter(Boolean).join(', ')}]`;
}
