export interface Piece {
  readonly text: string;
  readonly from: number;
}

/** Slices like String.slice, without white space at both ends. */
export function slicePiece({ text, from }: Piece, start: number, end = text.length): Piece {
  const cut = text.slice(start, end);
  const lead = cut.length - cut.trimStart().length;
  return { text: cut.trim(), from: from + Math.max(start, 0) + lead };
}

/** Splits at separators outside of brackets and quotes. `separator` is a sticky expression. */
export function splitPiece(piece: Piece, separator: RegExp): Piece[] {
  const { text } = piece;
  const parts: Piece[] = [];
  let start = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === '"') at = endOfQuoted(text, at);
    else if ('([{'.includes(char)) depth += 1;
    else if (')]}'.includes(char)) depth = Math.max(0, depth - 1);
    else if (depth === 0) {
      separator.lastIndex = at;
      const found = separator.exec(text);
      if (found === null || found[0] === '') continue;
      parts.push(slicePiece(piece, start, at));
      start = at + found[0].length;
      at = start - 1;
    }
  }
  return [...parts, slicePiece(piece, start)];
}

/** Returns the index of the closing quote, or of the opening one if there is none. */
export function endOfQuoted(text: string, opening: number): number {
  for (let at = opening + 1; at < text.length; at++) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at;
  }
  return opening;
}
