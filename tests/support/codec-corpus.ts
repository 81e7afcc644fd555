import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { projectRoot } from '@/server/project-root';

/** Messages that real systems made; they are beside the project, not in it. */
export const corpusDir = path.resolve(projectRoot, '..', 'shared', 'corpus');

export const hasCorpus = existsSync(corpusDir);

export function readCorpus(...parts: string[]): Buffer {
  return readFileSync(path.join(corpusDir, ...parts));
}
