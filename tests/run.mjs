// `npm test`: sets up what a fresh machine lacks (packages, a build, Debian's Chromium), then runs every check.
// The last line is `N passed, N failed`.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { assertNodeVersion, buildIfStale, installPackages, root, run } from '../server/prepare.mjs';

const debianPackages = [
  { file: '/usr/bin/chromium', name: 'chromium', required: true },
  { file: '/usr/lib/python3/dist-packages/grpc/__init__.py', name: 'python3-grpcio', required: false },
];

/** From Debian's packages, and nowhere else. A missing C-core client costs its tests only, and they say so. */
function installDebianPackages() {
  const missing = debianPackages.filter(({ file }) => !existsSync(file));
  if (missing.length === 0) return;
  const names = missing.map(({ name }) => name);
  process.stdout.write(`xdscope: installing ${names.join(', ')} from Debian's packages (once)\n`);
  const asRoot = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
  const apt = (...args) => {
    const [command, ...rest] = [...asRoot, 'apt-get', ...args];
    return spawnSync(command, rest, {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    }).status;
  };
  apt('update', '-qq');
  for (const { file, name, required } of missing) {
    apt('install', '-y', '-qq', '--no-install-recommends', name);
    if (existsSync(file)) continue;
    process.stderr.write(`xdscope: apt-get install ${name}: expected ${file}, and it is not there\n`);
    if (required) process.exit(1);
  }
}

assertNodeVersion();
installPackages();
installDebianPackages();
buildIfStale();

let passed = 0;
let failed = 0;
let skipped = 0;

/** A whole program as one test. */
function check(name, args) {
  const ok = run(process.execPath, args) === 0;
  process.stdout.write(`${ok ? 'ok' : 'FAILED'}: ${name}\n`);
  if (ok) passed += 1;
  else failed += 1;
}

check('format and lint (biome check)', ['node_modules/@biomejs/biome/bin/biome', 'check', '.']);
check('types (tsc)', ['node_modules/typescript/bin/tsc', '--noEmit']);

const scratch = mkdtempSync(path.join(os.tmpdir(), 'xdscope-tests-'));

/** A run of Vitest; every test of it counts. */
function runTests(name, args) {
  const report = path.join(scratch, `${name}.json`);
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--reporter=default', '--reporter=json'];
  const status = run(process.execPath, [...vitest, `--outputFile.json=${report}`, ...args], {
    XDSCOPE_BUILT: '1',
  });
  const failedBefore = failed;
  if (existsSync(report)) {
    const { numPassedTests, numFailedTests, numPendingTests, testResults } = JSON.parse(
      readFileSync(report, 'utf8'),
    );
    passed += numPassedTests;
    failed += numFailedTests;
    skipped += numPendingTests;
    // A file that fails to load, or whose set-up fails, has no failed test of its own.
    failed += testResults.filter(
      (file) => file.status === 'failed' && file.assertionResults.every((test) => test.status !== 'failed'),
    ).length;
  }
  if (status !== 0 && failed === failedBefore) failed += 1;
}

runTests('all-but-stories', ['--exclude=tests/e2e/**', ...process.argv.slice(2)]);
// Each story has a whole mesh of real clients to itself, and two cores to run it on.
if (process.argv.length === 2) runTests('stories', ['--no-file-parallelism', 'tests/e2e']);
rmSync(scratch, { recursive: true, force: true });

if (skipped > 0) {
  const hasCorpus = existsSync(path.join(root, '..', 'shared', 'corpus'));
  const why = hasCorpus
    ? 'each says why above'
    : 'the messages of real systems, ../shared/corpus, are not here';
  process.stdout.write(`${skipped} skipped: ${why}\n`);
}
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
