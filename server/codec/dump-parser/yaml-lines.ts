const [space, newline, carriageReturn, hash, dash] = [0x20, 0x0a, 0x0d, 0x23, 0x2d];

interface YamlLine {
  /** Place of the first byte. */
  readonly start: number;
  /** Place of the first byte that is not a blank. */
  readonly content: number;
  /** Place of the newline, or end of the document. */
  readonly end: number;
}

/** Returns the next line from the line beginning `at` on that is neither blank nor a comment, if any before `end`. */
export function nextLine(bytes: Uint8Array, at: number, end: number): YamlLine | undefined {
  for (let start = at; start < end; ) {
    const found = bytes.indexOf(newline, start);
    const lineEnd = found === -1 || found > end ? end : found;
    let content = start;
    while (content < lineEnd && bytes[content] === space) content += 1;
    const first = bytes[content];
    if (content < lineEnd && first !== carriageReturn && first !== hash)
      return { start, content, end: lineEnd };
    start = lineEnd + 1;
  }
  return undefined;
}

/** Returns whether there is a "-" that is followed by a blank or the end. */
export function isItem(bytes: Uint8Array, at: number, end: number): boolean {
  return bytes[at] === dash && isBlankAt(bytes, at + 1, end);
}

/** Returns the place of the content behind `at`, or undefined if only blanks or a comment follow. */
export function contentBehind(bytes: Uint8Array, at: number, end: number): number | undefined {
  let content = at;
  while (content < end && isBlankAt(bytes, content, end)) content += 1;
  return content >= end || bytes[content] === hash ? undefined : content;
}

export function isBlankAt(bytes: Uint8Array, at: number, end: number): boolean {
  const byte = bytes[at];
  return at >= end || byte === space || byte === 9 || byte === carriageReturn || byte === newline;
}
