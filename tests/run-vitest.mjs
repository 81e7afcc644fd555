import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { root } from '../server/prepare.mjs';

/** Resolves with the exit code of a Node program and what it wrote, which is shown at once unless it is `kept`. */
export function runNode(args, { kept }) {
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

/** Runs Vitest and resolves with the numbers of its tests, and with those that failed and why. */
export async function runVitest(args) {
  const scratch = mkdtempSync(path.join(os.tmpdir(), 'xdscope-tests-'));
  const report = path.join(scratch, 'vitest.json');
  const shown = ['--reporter=default', `--reporter=${path.join(root, 'tests/report-long-tests.mjs')}`];
  const reporters = [...shown, '--reporter=json', `--outputFile.json=${report}`];
  const { status } = await runNode(['node_modules/vitest/vitest.mjs', 'run', ...reporters, ...args], {
    kept: false,
  });
  let passed = 0;
  let skipped = 0;
  let failures = [];
  if (existsSync(report)) {
    const { numPassedTests, numPendingTests, testResults } = JSON.parse(readFileSync(report, 'utf8'));
    passed = numPassedTests;
    skipped = numPendingTests;
    failures = testResults.filter(({ status }) => status === 'failed').flatMap(failuresOf);
  }
  if (status !== 0 && failures.length === 0) failures = [`Vitest ended with exit code ${status}`];
  rmSync(scratch, { recursive: true, force: true });
  return { passed, failed: failures.length, skipped, failures };
}

/** A file that fails to load, or whose set-up fails, has no failed test of its own. */
function failuresOf({ name, message, assertionResults }) {
  const file = path.relative(root, name);
  const tests = assertionResults.filter(({ status }) => status === 'failed');
  if (tests.length === 0) return [`${file}\n${startOf(message)}`];
  return tests.map(
    ({ fullName, failureMessages }) => `${file}: ${fullName}\n${startOf(failureMessages.join('\n'))}`,
  );
}

function startOf(message) {
  return message
    .split('\n')
    .slice(0, 8)
    .map((line) => `    ${line.slice(0, 300)}`)
    .join('\n');
}
