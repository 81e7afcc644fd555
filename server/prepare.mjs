// A fresh clone needs packages and a build before xdscope runs. This is plain JavaScript without imports from npm,
// because nothing is installed yet.
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
/** The time of its modification is the end of the last whole build. */
export const stamp = path.join(root, '.build', 'stamp');
const inputs = [
  'app',
  'lib',
  'protos',
  'public',
  'server',
  'next.config.js',
  'package-lock.json',
  'postcss.config.mjs',
  'tsconfig.json',
];
const made = new Set(['generated', 'node_modules']);

export function assertNodeVersion() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const isSupported = (major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major >= 24;
  if (!isSupported) {
    process.stderr.write(
      `xdscope: expected Node ^20.19, ^22.12 or >= 24 ("engines" in package.json), got ${process.versions.node}\n`,
    );
    process.exit(2);
  }
}

export function run(command, args, env = {}) {
  const { status, error } = spawnSync(command, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  if (error !== undefined) process.stderr.write(`xdscope: ${command}: ${error.message}\n`);
  return status ?? 1;
}

function modifiedMs(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/**
 * Installs what package-lock.json lists, unless it is already installed. `npm ci` never writes the lockfile, and fails
 * if package.json and the lockfile disagree.
 */
export function installPackages() {
  const installedMs = modifiedMs(path.join(root, 'node_modules', '.package-lock.json'));
  const isInstalled = ['package.json', 'package-lock.json', '.npmrc'].every(
    (input) => installedMs >= modifiedMs(path.join(root, input)),
  );
  if (installedMs > 0 && isInstalled) return;
  process.stdout.write('xdscope: installing packages (once)\n');
  const status = run('npm', ['ci', '--include=dev', '--loglevel=error']);
  if (status !== 0) {
    process.stderr.write(
      `xdscope: npm ci ended with ${status}: package-lock.json does not fit package.json, or a package could not be fetched; npm's message above names it\n`,
    );
    process.exit(status);
  }
}

/** Returns the time of the newest modification below a folder, without the output of the build. */
function newestMs(file) {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return 0;
  if (!stat.isDirectory()) return stat.mtimeMs;
  return readdirSync(file)
    .filter((name) => !made.has(name))
    .reduce((newest, name) => Math.max(newest, newestMs(path.join(file, name))), stat.mtimeMs);
}

/** Builds when a source is newer than the last whole build. */
export function buildIfStale() {
  const newest = Math.max(...inputs.map((input) => newestMs(path.join(root, input))));
  if (modifiedMs(stamp) > newest) return;
  process.stdout.write('xdscope: building (about a minute, once)\n');
  const status = run(process.execPath, ['server/build.mjs']);
  if (status !== 0) {
    process.stderr.write(`xdscope: the build ended with ${status}; see its message above\n`);
    process.exit(status);
  }
}
