const boundary = /[^a-z0-9]/;

/**
 * Ranks how well a name matches a word, both in lower case; 0 is best: the whole name, a part between separators, the
 * beginning of the name, the beginning of a part, any other place.
 */
export function rankMatch(name: string, word: string): number {
  if (name === word) return 0;
  let best = 4;
  for (let at = name.indexOf(word); at !== -1; at = name.indexOf(word, at + 1)) {
    const startsPart = at === 0 || boundary.test(name.charAt(at - 1));
    const end = at + word.length;
    const endsPart = end === name.length || boundary.test(name.charAt(end));
    const rank = startsPart && endsPart ? 1 : at === 0 ? 2 : startsPart ? 3 : 4;
    best = Math.min(best, rank);
    if (best === 1) break;
  }
  return best;
}
