import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { projectRoot } from '@/server/project-root';
import { listSources, readImports } from '../support/project-imports';

const mostLines = 80;
const mostHelpers = 60;
/** The storage, the threads and what they read are rebuilt. */
const rebuilt = /^server\/(?:store\/recorder|store\/past|collect\/collector|workers|live\/sizes)\//;

const withoutEnding = (file: string) => file.replace(/\.tsx?$/, '');
const sources = ['app', 'lib', 'server'].flatMap(listSources);
const imports = readImports(['app', 'lib', 'server']);
const textOf = (file: string) => readFileSync(path.join(projectRoot, file), 'utf8');

/** React delivers it apart from its caller, which runs on the server. */
function isClientPart(file: string, caller: string): boolean {
  return textOf(file).startsWith("'use client'") && !textOf(caller).startsWith("'use client'");
}

/** Short files that one file of the same folder alone imports, and that it neither loads later nor starts as a program. */
function findHelpers(): string[] {
  return sources.filter((file) => {
    if (rebuilt.test(file) || textOf(file).split('\n').length - 1 > mostLines) return false;
    const own = imports.filter(({ target }) => withoutEnding(target) === withoutEnding(file));
    const callers = new Set(own.map((each) => each.file));
    const [caller = ''] = callers;
    if (callers.size !== 1 || path.dirname(caller) !== path.dirname(file)) return false;
    const isLater = textOf(caller).includes(`import('./${path.basename(withoutEnding(file))}')`);
    return !isLater && !isClientPart(file, caller) && !own.every(({ isTypeOnly }) => isTypeOnly);
  });
}

/** app/error.tsx, which Next imports as well. */
const nextFiles = ['app/error.tsx'];

test('a short file that one file of its folder imports is an idea of its own, with a test', () => {
  const helpers = findHelpers().filter((file) => !nextFiles.includes(file));
  const tested = new Set(readImports(['tests']).map(({ target }) => withoutEnding(target)));
  const testNames = new Set(listSources('tests').map((file) => path.basename(file)));
  const untested = helpers.filter(
    (file) =>
      !tested.has(withoutEnding(file)) && !testNames.has(`${path.basename(withoutEnding(file))}.test.ts`),
  );
  expect(untested).toEqual([]);
  expect(helpers.length).toBeGreaterThan(0);
  expect(helpers.length).toBeLessThanOrEqual(mostHelpers);
});
