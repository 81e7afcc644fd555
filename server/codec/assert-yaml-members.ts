import { assertMembers, assertMembersOfDocument, isEmptyBracket } from './document-nesting';

const lines = /^( *)((?:- +)*)(.*)$/gm;
const isEntry = /^[^#].*?:(?:\s|$)|^:(?:\s|$)/;
/** A string in double quotes, or what an object or a list in brackets is made of. */
const flowParts = /"(?:[^"\\]|\\.)*"|[{}[\],]/gs;

/** A member of YAML costs some 1.5 kB until it is a value, ten times as much as one of JSON. */
const mostMembersOfYaml = 150_000;

/**
 * Throws a NestingError for a mapping of more than 100,000 keys, and for a text with more than 150,000 entries and items
 * in all. A YAML document costs some 70 times its size in memory once it is parsed: entries are counted by their
 * indentation, and by the commas within brackets. An entry on a line of its own within brackets counts twice.
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
    // Each item of a list is a mapping of its own.
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
  /** Of each open object, its members so far; of a list 0. */
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
