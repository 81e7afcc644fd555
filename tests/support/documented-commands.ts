import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { projectRoot } from '@/server/project-root';

export interface DocumentedCommand {
  /** "docs/tap.md". */
  readonly file: string;
  readonly words: readonly string[];
}

/** README.md and the documents for users. */
export const userDocuments: readonly string[] = [
  'README.md',
  ...readdirSync(path.join(projectRoot, 'docs')).map((name) => `docs/${name}`),
];

/** The contents of the fenced blocks of a language. */
export function fencedBlocks(file: string, language: string): string[] {
  const text = readFileSync(path.join(projectRoot, file), 'utf8');
  return [...text.matchAll(/^```(\w+)\n(.*?)^```/gms)].flatMap(([, of, block = '']) =>
    of === language ? [block] : [],
  );
}

/** `npm start -- ...` within a sentence or a table, outside of blocks. Uppercase words are placeholders. */
function inlineCommands(file: string): string[] {
  const text = readFileSync(path.join(projectRoot, file), 'utf8').replace(/^```.*?^```/gms, '');
  return [...text.matchAll(/`(npm start -- [^`]+)`/g)].map(([, command = '']) => `${command}\n`);
}

/**
 * The commands of README.md and docs, in shell blocks and within sentences. A command in a block may span lines within
 * quotes.
 */
export function documentedCommands(): DocumentedCommand[] {
  return userDocuments.flatMap((file) =>
    [...fencedBlocks(file, 'sh'), ...inlineCommands(file)].flatMap((text) =>
      splitCommands(text).map((words) => ({ file, words })),
    ),
  );
}

/** Words of each line, as a POSIX shell reads quotes and comments. Expansions do not occur. */
function splitCommands(block: string): string[][] {
  const commands: string[][] = [];
  let words: string[] = [];
  const pattern = /[ \t]+|#[^\n]*|(\n)|((?:'[^']*'|"[^"]*"|[^\s'"#][^\s'"]*)+)/g;
  for (const [, newline, word] of block.matchAll(pattern)) {
    if (word !== undefined) words.push(word.replace(/'([^']*)'|"([^"]*)"/g, '$1$2'));
    if (newline === undefined) continue;
    if (words.length > 0) commands.push(words);
    words = [];
  }
  return commands;
}
