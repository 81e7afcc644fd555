type SplitWords =
  | { readonly ok: true; readonly words: readonly string[] }
  | { readonly ok: false; readonly message: string };

/** The words of a command line of a POSIX shell, with quotes, backslashes and continued lines. Nothing is expanded. */
export function splitWords(line: string): SplitWords {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let at = 0; at < line.length; at++) {
    const char = line[at] ?? '';
    const next = line[at + 1] ?? '';
    if (quote === "'") {
      if (char === "'") quote = '';
      else word += char;
    } else if (quote === '"') {
      if (char === '"') quote = '';
      else if (char === '\\' && '"\\$`'.includes(next)) {
        word += next;
        at += 1;
      } else word += char;
    } else if (char === "'" || char === '"') {
      quote = char;
      word ??= '';
    } else if (char === '\\') {
      at += 1;
      if (next !== '\n') word = (word ?? '') + next;
    } else if (/\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + char;
  }
  if (quote !== '') return { ok: false, message: `expected ${quote} at the end of the text, got none` };
  if (word !== undefined) words.push(word);
  return { ok: true, words };
}
