// `npm test`: sets up what a fresh machine lacks (packages, a build, a browser of Debian), then runs every check: Vitest,
// and biome and tsc beside it. The last line is `N passed, N failed`.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { assertNodeVersion, buildIfStale, installPackages, root } from '../server/prepare.mjs';

/** The files by which a package of Debian is recognised. */
const files = {
  chromium: '/usr/bin/chromium',
  'chromium-headless-shell': '/usr/bin/chromium-headless-shell',
  'python3-grpcio': '/usr/lib/python3/dist-packages/grpc/__init__.py',
};

/** Returns the names that are not installed afterwards. */
function installFromDebian(...names) {
  const missing = names.filter((name) => !existsSync(files[name]));
  if (missing.length === 0) return [];
  process.stdout.write(`xdscope: installing ${missing.join(', ')} from Debian's packages (once)\n`);
  const apt = (...args) => {
    const asRoot = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
    const [command, ...others] = [...asRoot, 'apt-get', ...args];
    spawnSync(command, others, {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
  };
  apt('update', '-qq');
  for (const name of missing) apt('install', '-y', '-qq', '--no-install-recommends', name);
  return missing.filter((name) => !existsSync(files[name]));
}

/** Older releases of Debian have no headless shell. Without a C-core client its tests are skipped, with the reason. */
function installDebianPackages() {
  const missing = installFromDebian('chromium-headless-shell', 'python3-grpcio');
  if (missing.includes('chromium-headless-shell')) missing.push(...installFromDebian('chromium'));
  for (const name of missing) {
    process.stderr.write(`xdscope: apt-get install ${name}: expected ${files[name]}, and it is not there\n`);
  }
  if (missing.includes('chromium')) process.exit(1);
}

assertNodeVersion();
installPackages();
installDebianPackages();
buildIfStale();

const scratch = mkdtempSync(path.join(os.tmpdir(), 'xdscope-tests-'));
const report = path.join(scratch, 'vitest.json');

/** Resolves with the exit code of a Node program and what it wrote, which is shown at once unless it is `kept`. */
function runNode(args, { kept }) {
  return new Promise((resolve) => {
    const stdio = ['ignore', kept ? 'pipe' : 'inherit', kept ? 'pipe' : 'inherit'];
    const child = spawn(process.execPath, args, {
      cwd: root,
      stdio,
      env: { ...process.env, XDSCOPE_BUILT: '1' },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk) => {
        output += chunk;
      });
    }
    child.once('error', (error) => resolve({ status: 1, output: `${output}${error.message}\n` }));
    child.once('close', (status) => resolve({ status: status ?? 1, output }));
  });
}

const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--reporter=default', '--reporter=json'];
const [tests, ...checks] = await Promise.all([
  runNode([...vitest, `--outputFile.json=${report}`, ...process.argv.slice(2)], { kept: false }),
  runNode(['node_modules/@biomejs/biome/bin/biome', 'check', '.'], { kept: true }),
  runNode(['node_modules/typescript/bin/tsc', '--noEmit'], { kept: true }),
]);

let passed = 0;
let failed = 0;
let skipped = 0;

if (existsSync(report)) {
  const { numPassedTests, numFailedTests, numPendingTests, testResults } = JSON.parse(
    readFileSync(report, 'utf8'),
  );
  passed = numPassedTests;
  skipped = numPendingTests;
  // A file that fails to load, or whose set-up fails, has no failed test of its own.
  const files = testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.every((test) => test.status !== 'failed'),
  );
  failed = numFailedTests + files.length;
}
if (tests.status !== 0 && failed === 0) failed = 1;
rmSync(scratch, { recursive: true, force: true });

/** A whole program counts as one test. */
for (const [index, name] of ['format and lint (biome check)', 'types (tsc)'].entries()) {
  const { status, output } = checks[index];
  process.stdout.write(`${output}${status === 0 ? 'ok' : 'FAILED'}: ${name}\n`);
  if (status === 0) passed += 1;
  else failed += 1;
}

if (skipped > 0) {
  const hasCorpus = existsSync(path.join(root, '..', 'shared', 'corpus'));
  const why = hasCorpus
    ? 'each says why above'
    : 'the files of public projects, ../shared/corpus, are not here';
  process.stdout.write(`${skipped} skipped: ${why}\n`);
}
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
