/**
 * One word of a POSIX shell, whatever is in it. Names come from outside: nothing in them may end the quotes.
 * A NUL cannot be in a shell word at all, so it is left out.
 */
export function quoteForShell(text: string): string {
  const word = text.replaceAll('\u0000', '');
  return /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
