type SplitWords =
  | { readonly ok: true; readonly words: readonly string[] }
  | { readonly ok: false; readonly message: string };

/**
 * The words of a command line of a POSIX shell up to the first pipe, redirection or next command, with quotes (also $'...'),
 * backslashes and continued lines. Nothing is expanded. "&" within a word is part of it, as in a URL without quotes.
 */
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
    } else if (quote === "$'") {
      if (char === "'") quote = '';
      else if (char === '\\') {
        const [code, text] = readEscape(line.slice(at));
        word += text;
        at += code.length - 1;
      } else word += char;
    } else if (quote === '"') {
      if (char === '"') quote = '';
      else if (char === '\\' && '"\\$`'.includes(next)) {
        word += next;
        at += 1;
      } else if (char === '\\' && next === '\n') at += 1;
      else word += char;
    } else if (char === '$' && next === "'") {
      quote = "$'";
      word ??= '';
      at += 1;
    } else if (char === "'" || char === '"') {
      quote = char;
      word ??= '';
    } else if (char === '\\') {
      at += 1;
      if (next !== '\n') word = (word ?? '') + next;
    } else if (/[|<>]/.test(char) && /^\d?$/.test(word ?? '')) {
      word = undefined;
      break;
    } else if (/[;&]/.test(char) && word === undefined) break;
    else if (/\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + char;
  }
  if (quote !== '')
    return { ok: false, message: `expected ${quote.at(-1)} at the end of the text, got none` };
  if (word !== undefined) words.push(word);
  return { ok: true, words };
}

const controls: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  a: '\x07',
  b: '\b',
  e: '\x1b',
  f: '\f',
  v: '\v',
};

/** The escape at the begin of the text, as within $'...', and what it stands for. */
function readEscape(text: string): readonly [code: string, text: string] {
  const [code, hexadecimal, octal] = /^\\(?:[xuU]([0-9A-Fa-f]{1,6})|([0-7]{1,3}))/.exec(text) ?? [];
  const point =
    hexadecimal === undefined ? Number.parseInt(octal ?? '', 8) : Number.parseInt(hexadecimal, 16);
  if (code !== undefined && point <= 0x10ffff) return [code, String.fromCodePoint(point)];
  const char = text[1] ?? '';
  return [text.slice(0, 2), Object.hasOwn(controls, char) ? (controls[char] ?? '') : char];
}
