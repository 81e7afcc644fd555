const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
/** Control characters and halves of characters: XML 1.0 has no place for them, not even escaped. */
const forbidden = /[\p{Cc}\p{Cs}\ufffe\uffff]/gu;

/** Text of any origin, as it may stand in an element or an attribute. */
export function escapeXml(text: string): string {
  return text
    .replace(forbidden, '\ufffd')
    .replace(/[&<>"]/g, (character) => entities[character] ?? character);
}
