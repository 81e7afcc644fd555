import { assertMembers, assertMembersOfDocument, isEmptyBracket } from './document-nesting';

const lines = /^( *)((?:- +)*)(.*)$/gm;
const isEntry = /^[^#].*?:(?:\s|$)|^:(?:\s|$)/;
/** Matches a string in double quotes, or a token of a flow collection. */
const flowParts = /"(?:[^"\\]|\\.)*"|[{}[\],]/gs;

/** While it is parsed, an entry of YAML takes about 1.5 kB, ten times as much as a member of JSON. */
const mostMembersOfYaml = 150_000;

/**
 * Throws a NestingError for a mapping of more than 100,000 keys, or a text with more than 150,000 entries and items. A
 * parsed YAML document takes about 70 times its size in memory, so that entries are counted before, by their
 * indentation and by the commas within brackets. An entry on a line of its own within brackets counts twice.
 */
export function assertYamlMembers(text: string): void {
  assertMembersOfDocument(countBlockMembers(text) + countFlowMembers(text), mostMembersOfYaml);
}

function countBlockMembers(text: string): number {
  let total = 0;
  const open: { readonly column: number; members: number }[] = [];
  const close = (column: number): void => {
    for (let last = open.at(-1); last !== undefined && last.column > column; last = open.at(-1)) {
      assertMembers(last.members);
      open.pop();
    }
  };
  for (const [, blanks = '', dashes = '', content = ''] of text.matchAll(lines)) {
    for (const char of dashes) if (char === '-') total += 1;
    if (content === '-') total += 1;
    if (!isEntry.test(content)) continue;
    total += 1;
    const column = blanks.length + dashes.length;
    // Each item of a list begins a mapping of its own.
    close(dashes === '' ? column : blanks.length);
    const last = open.at(-1);
    if (last?.column === column) last.members += 1;
    else open.push({ column, members: 1 });
  }
  close(-1);
  return total;
}

function countFlowMembers(text: string): number {
  let total = 0;
  /** Number of members of each open object, 0 for a list. */
  const open: number[] = [];
  for (const { 0: part, index } of text.matchAll(flowParts)) {
    if (part === '{' || part === '[') {
      open.push(part === '{' ? 1 : 0);
      if (!isEmptyBracket(text, index)) total += 1;
    } else if (part === '}' || part === ']') assertMembers(open.pop() ?? 0);
    else if (part === ',' && open.length > 0) {
      total += 1;
      const members = open.at(-1) ?? 0;
      if (members > 0) open[open.length - 1] = members + 1;
    }
  }
  for (const members of open) assertMembers(members);
  return total;
}
