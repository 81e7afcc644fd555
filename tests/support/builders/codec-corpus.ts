import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { projectRoot } from '@/server/project-root';

/** Messages of real clients and control planes, recorded for this project. */
export const capturesDir = path.join(projectRoot, 'tests/fixtures/captures');

export function readCapture(...parts: string[]): Buffer {
  return readFileSync(path.join(capturesDir, ...parts));
}

/** More messages, and files of public projects, in a folder beside the project. */
export const corpusDir = path.resolve(projectRoot, '..', 'shared', 'corpus');

export const hasCorpus = existsSync(corpusDir);

const listFolders = (dir: string): string[] =>
  readdirSync(dir, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [path.join(dir, entry.name)] : [],
  );

/** Folders with files of real systems: those of the project, and those of the corpus if it exists. */
export const corpusFolders: readonly string[] = [
  ...listFolders(capturesDir),
  ...(hasCorpus ? ['captures', 'real'].flatMap((under) => listFolders(path.join(corpusDir, under))) : []),
];

export function readCorpus(...parts: string[]): Buffer {
  return readFileSync(path.join(corpusDir, ...parts));
}
