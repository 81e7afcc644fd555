import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { projectRoot } from '@/server/project-root';
import { listSources, readImports } from '../support/project-imports';

/** Run-time imports by file, both without their endings. */
const imports = new Map<string, string[]>();
for (const { file, target, isTypeOnly } of readImports(['app', 'lib'])) {
  const name = file.replace(/\.tsx?$/, '');
  if (!isTypeOnly) imports.set(name, [...(imports.get(name) ?? []), target]);
}

/** The files from an entry to `wanted`, or undefined if the entry does not load `wanted` at run time. */
function findWay(from: string, wanted: string): string[] | undefined {
  const ways = new Map<string, string[]>([[from, [from]]]);
  for (const [file, way] of ways) {
    for (const target of imports.get(file) ?? []) {
      if (target === wanted) return [...way, target];
      if (!ways.has(target)) ways.set(target, [...way, target]);
    }
  }
  return undefined;
}

/** Client components, and the program of the SharedWorker. */
const entries = listSources('app').filter(
  (file) =>
    file.startsWith('app/_stream/') ||
    readFileSync(path.join(projectRoot, file), 'utf8').startsWith("'use client'"),
);

it('finds what the browser loads', () => {
  expect(entries.length).toBeGreaterThan(100);
  expect(findWay('app/_ask/use-question', '@tanstack/react-query')).toBeDefined();
});

it('the browser loads no zod: pages import the types of the API alone', () => {
  const ways = entries.flatMap((file) => findWay(file.replace(/\.tsx?$/, ''), 'zod') ?? []);
  expect(ways).toEqual([]);
});
