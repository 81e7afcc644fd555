const [space, newline, carriageReturn, hash, dash] = [0x20, 0x0a, 0x0d, 0x23, 0x2d];

/** One line of block YAML that has something on it. */
export interface YamlLine {
  /** Of its first byte, and of the first one that is no blank. */
  readonly start: number;
  readonly content: number;
  /** Of the line's end: the newline, or the end of the document. */
  readonly end: number;
}

/** The next line from `at` (the begin of a line) on that is neither blank nor a comment; undefined: none before `end`. */
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

/** Is there "-" and then a blank, or nothing more? */
export function isItem(bytes: Uint8Array, at: number, end: number): boolean {
  return bytes[at] === dash && isBlankAt(bytes, at + 1, end);
}

/** Of what stands in a line behind `at`; undefined: nothing but blanks or a comment. */
export function contentBehind(bytes: Uint8Array, at: number, end: number): number | undefined {
  let content = at;
  while (content < end && isBlankAt(bytes, content, end)) content += 1;
  return content >= end || bytes[content] === hash ? undefined : content;
}

export function isBlankAt(bytes: Uint8Array, at: number, end: number): boolean {
  const byte = bytes[at];
  return at >= end || byte === space || byte === 9 || byte === carriageReturn || byte === newline;
}
