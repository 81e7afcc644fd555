const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
/** Control characters and lone surrogates are not allowed in XML 1.0. */
const forbidden = /[\p{Cc}\p{Cs}\ufffe\uffff]/gu;

export function escapeXml(text: string): string {
  return text
    .replace(forbidden, '\ufffd')
    .replace(/[&<>"]/g, (character) => entities[character] ?? character);
}
