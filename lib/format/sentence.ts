/** "the config fails" -> "The config fails." For notes that begin with no name. */
export function formatSentence(text: string): string {
  const [first = ''] = /^[a-z]+(?=[ ,:])/.exec(text) ?? [];
  return `${first.slice(0, 1).toUpperCase()}${text.slice(first === '' ? 0 : 1)}.`;
}
