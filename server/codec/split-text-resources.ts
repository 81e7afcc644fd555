/** A DiscoveryResponse in text format, cut apart without being read. */
export interface SplitText {
  /** All but the resources; each of those left its line breaks behind, so that lines keep their numbers. */
  readonly rest: string;
  readonly resources: readonly TextResource[];
}

export interface TextResource {
  /** `resources { ... }`, as it was written. */
  readonly text: string;
  /** Lines of the document before it. */
  readonly linesBefore: number;
  /** What it calls itself, read without its type; null where it does not say. */
  readonly name: string | null;
}

const token = /\s+|#[^\n]*|"(?:[^"\\\n]|\\[^\n])*"|'(?:[^'\\\n]|\\[^\n])*'|[{}<>[\]]|[^\s#"'{}<>[\]]+|["']/y;

/** undefined: it is not written as `resources { ... }` one after another, or its braces do not match. */
export function splitTextResources(text: string): SplitText | undefined {
  const resources: TextResource[] = [];
  let rest = '';
  let restFrom = 0;
  let lines = 0;
  let depth = 0;
  /** The last words, blanks and comments left out. */
  let [before, last] = ['', ''];
  let open: { start: number; name: string | null } | undefined;
  let lastStart = 0;
  token.lastIndex = 0;
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    const [word] = found;
    if (/^[\s#]/.test(word)) continue;
    if (word === '{' || word === '<') {
      const field = last === ':' ? before : last.replace(/:$/, '');
      if (depth === 0 && field === 'resources') open = { start: lastStart, name: null };
      depth++;
    } else if (word === '}' || word === '>') {
      depth--;
      if (depth < 0) return undefined;
      if (depth === 0 && open !== undefined) {
        const part = text.slice(open.start, token.lastIndex);
        const skipped = text.slice(restFrom, open.start);
        lines += countLines(skipped);
        resources.push({ text: part, linesBefore: lines, name: open.name });
        lines += countLines(part);
        rest += `${skipped}${'\n'.repeat(countLines(part))}`;
        restFrom = token.lastIndex;
        open = undefined;
      }
    } else if (word === '[' && depth === 0 && /^resources:?$/.test(last === ':' ? before : last)) {
      return undefined;
    } else if (open?.name === null && depth === 2 && /^["']/.test(word)) {
      const field = last === ':' ? before : last.replace(/:$/, '');
      if (field === 'name' || field === 'cluster_name') open.name = word.slice(1, -1);
    }
    // The field may begin at "resources" with its ":" apart.
    if (word !== ':') lastStart = found.index;
    [before, last] = [last, word];
  }
  return depth === 0 && open === undefined ? { rest: rest + text.slice(restFrom), resources } : undefined;
}

function countLines(text: string): number {
  return text.split('\n').length - 1;
}
