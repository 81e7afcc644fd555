import { mostMembers, NestingError } from './document-nesting';

const lines = /^( *)((?:- +)*)(.*)$/gm;
const isEntry = /^[^#].*?:(?:\s|$)|^:(?:\s|$)/;
/** A string in double quotes, or what an object or a list in brackets is made of. */
const flowParts = /"(?:[^"\\]|\\.)*"|[{}[\],]/gs;

/**
 * Throws a NestingError for a mapping of more than 100,000 keys. A YAML document costs some 70 times its size in memory
 * once it is parsed: keys are counted by their indentation, or by the commas within brackets.
 */
export function assertYamlMembers(text: string): void {
  assertBlockMembers(text);
  assertFlowMembers(text);
}

function assertBlockMembers(text: string): void {
  const open: { readonly column: number; members: number }[] = [];
  const close = (column: number): void => {
    for (let last = open.at(-1); last !== undefined && last.column > column; last = open.at(-1)) {
      assertMembers(last.members);
      open.pop();
    }
  };
  for (const [, blanks = '', dashes = '', content = ''] of text.matchAll(lines)) {
    if (!isEntry.test(content)) continue;
    const column = blanks.length + dashes.length;
    // Each item of a list is a mapping of its own.
    close(dashes === '' ? column : blanks.length);
    const last = open.at(-1);
    if (last?.column === column) last.members += 1;
    else open.push({ column, members: 1 });
  }
  close(-1);
}

function assertFlowMembers(text: string): void {
  /** Of each open object, its members so far; of a list 0. */
  const open: number[] = [];
  for (const [part] of text.matchAll(flowParts)) {
    if (part === '{') open.push(1);
    else if (part === '[') open.push(0);
    else if (part === '}' || part === ']') assertMembers(open.pop() ?? 0);
    else if (part === ',') {
      const members = open.at(-1) ?? 0;
      if (members > 0) open[open.length - 1] = members + 1;
    }
  }
  for (const members of open) assertMembers(members);
}

function assertMembers(members: number): void {
  if (members > mostMembers) throw new NestingError(`${mostMembers} members in an object`, members);
}
