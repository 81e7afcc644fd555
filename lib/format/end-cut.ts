/** Cuts a text at its end, to at most `maxChars` UTF-16 code units with the ellipsis. No surrogate pair is split. */
export function formatEndCut(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const kept = text.slice(0, Math.max(0, maxChars - 1)).replace(/[\ud800-\udbff]$/, '');
  return `${kept.trimEnd()}…`;
}
