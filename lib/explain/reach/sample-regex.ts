import { matchesRe2 } from '../../validate/re2';

type Node =
  /** One of several characters; an empty text for an anchor. */
  | { readonly kind: 'text'; readonly of: readonly string[] }
  | { readonly kind: 'choice'; readonly of: readonly (readonly Node[])[] }
  | { readonly kind: 'repeat'; readonly node: Node; readonly min: number; readonly max: number };

const deepest = 50;
const longest = 1_000;
const samples = 8;
/** The characters that samples prefer where a class leaves the choice. */
const preferred = [...'xa0~AB1b-_./9Z %='];

/**
 * Texts that match the expression as a whole, the shortest kind first; empty if none is found, as for an expression with
 * syntax that this does not read. Each of them is checked.
 */
export function sampleRegex(pattern: string): string[] {
  const parser = new Parser(pattern);
  const root = parser.parse();
  if (root === undefined) return [];
  const found = new Set<string>();
  for (let nth = 0; nth < samples; nth++) {
    const text = writeNodes([root], nth, '');
    if (text !== undefined && !found.has(text) && matchesRe2(pattern, text) === true) found.add(text);
  }
  return [...found];
}

/** `nth` selects one of the alternatives, characters and numbers of repetitions. undefined if it is too long. */
function writeNodes(nodes: readonly Node[], nth: number, before: string): string | undefined {
  let text: string | undefined = before;
  for (const node of nodes) {
    if (text === undefined || text.length > longest) return undefined;
    if (node.kind === 'text') text += node.of[nth % node.of.length] ?? '';
    else if (node.kind === 'choice') text = writeNodes(node.of[nth % node.of.length] ?? [], nth, text);
    else {
      const times = Math.min(node.max, node.min + (nth % 3));
      for (let each = 0; each < times && text !== undefined; each++)
        text = writeNodes([node.node], nth, text);
    }
  }
  return text;
}

/** Reads the usual syntax of RE2. MUTABLE: its place in the pattern. */
class Parser {
  readonly #pattern: string;
  #at = 0;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  /** undefined if the syntax is not read. */
  parse(): Node | undefined {
    const node = this.#choice(0);
    return this.#at === this.#pattern.length ? node : undefined;
  }

  #take(expression: RegExp): string | undefined {
    const [text] = expression.exec(this.#pattern.slice(this.#at, this.#at + longest)) ?? [];
    if (text !== undefined) this.#at += text.length;
    return text;
  }

  #choice(depth: number): Node | undefined {
    if (depth > deepest) return undefined;
    const of: Node[][] = [[]];
    for (;;) {
      if (this.#take(/^\|/) !== undefined) {
        of.push([]);
        continue;
      }
      if (this.#at >= this.#pattern.length || this.#pattern[this.#at] === ')') return { kind: 'choice', of };
      const atom = this.#atom(depth);
      if (atom === undefined) return undefined;
      of.at(-1)?.push(this.#repeat(atom));
    }
  }

  #repeat(node: Node): Node {
    const text = this.#take(/^(?:[*+?]|\{\d+(?:,\d*)?\})\??/);
    if (text === undefined) return node;
    const [, least, comma, most] = /^\{(\d+)(,?)(\d*)\}/.exec(text) ?? [];
    if (least !== undefined) {
      const min = Number(least);
      const max = comma === '' ? min : most === '' ? Number.POSITIVE_INFINITY : Number(most);
      return { kind: 'repeat', node, min, max };
    }
    const max = text.startsWith('?') ? 1 : Number.POSITIVE_INFINITY;
    return { kind: 'repeat', node, min: text.startsWith('+') ? 1 : 0, max };
  }

  #atom(depth: number): Node | undefined {
    if (this.#take(/^\(\?[a-zA-Z-]+\)/) !== undefined) return { kind: 'text', of: [''] };
    if (this.#take(/^\((?:\?(?:[a-zA-Z-]*:|P?<\w+>))?/) !== undefined) {
      const inner = this.#choice(depth + 1);
      return inner !== undefined && this.#take(/^\)/) !== undefined ? inner : undefined;
    }
    if (this.#take(/^(?:[\^$]|\\[AzbB])/) !== undefined) return { kind: 'text', of: [''] };
    const escaped = this.#take(/^\\[^\w\s]/);
    if (escaped !== undefined) return { kind: 'text', of: [escaped.slice(1)] };
    const set = this.#take(
      /^(?:\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]|\\[dDwWsS]|\\[pP](?:\{\^?\w+\}|\w)|\.)/s,
    );
    if (set !== undefined) {
      const own = set.startsWith('[') ? [...set.slice(1, -1)] : [];
      const of = [...preferred, ...own].filter((each) => matchesRe2(set, each) === true);
      return of.length === 0 ? undefined : { kind: 'text', of };
    }
    const plain = this.#take(/^[^\\[\](){}*+?|^$.]/su);
    return plain === undefined ? undefined : { kind: 'text', of: [plain] };
  }
}
