/** The beginning of the text of a NACK that follows from later messages, because the client sent no text. */
export const inferredText = 'inferred, because ';

/** Ranks the texts of one rejection, which several sources report: none, an inferred one, that of the client. */
function rankOf(text: string): number {
  if (text === '') return 0;
  return text.startsWith(inferredText) ? 1 : 2;
}

export function isRicherText(text: string, than: string): boolean {
  return rankOf(text) > rankOf(than);
}
