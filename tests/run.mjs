// `npm test`: sets up what a fresh machine lacks (packages, a build, a browser of Debian), then runs every check: Vitest,
// and biome and tsc beside it. The last line is `N passed, N failed`.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { assertNodeVersion, buildIfStale, installPackages, root } from '../server/prepare.mjs';
import { installDebianPackages } from './debian-packages.mjs';
import { runNode, runVitest } from './run-vitest.mjs';

assertNodeVersion();
installPackages();
installDebianPackages();
buildIfStale();

const [tests, ...checks] = await Promise.all([
  runVitest(['--project=!peers', ...process.argv.slice(2)]),
  runNode(['node_modules/@biomejs/biome/bin/biome', 'check', '.'], { kept: true }),
  // Vitest occupies the other cores, and each thread of tsc would check the types that it needs once more.
  runNode(['node_modules/typescript/bin/tsc', '--noEmit', '--singleThreaded'], { kept: true }),
]);
let { passed, failed } = tests;

/** A whole program counts as one test. */
for (const [index, name] of ['format and lint (biome check)', 'types (tsc)'].entries()) {
  const { status, output } = checks[index];
  process.stdout.write(`${output}${status === 0 ? 'ok' : 'FAILED'}: ${name}\n`);
  if (status === 0) passed += 1;
  else failed += 1;
}

for (const failure of tests.failures) process.stdout.write(`FAILED ${failure}\n`);
if (tests.skipped > 0) {
  const hasCorpus = existsSync(path.join(root, '..', 'shared', 'corpus'));
  const why = hasCorpus
    ? 'each says why above'
    : 'the files of public projects, ../shared/corpus, are not here';
  process.stdout.write(`${tests.skipped} skipped: ${why}\n`);
}
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
