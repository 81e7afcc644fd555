// `npm run interop` installs and builds on a fresh clone, then checks a management server (`--server HOST:PORT`) or runs
// cases with a client (`--client NAME`).
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { assertNodeVersion, buildIfStale, installPackages, root } from './prepare.mjs';

const args = process.argv.slice(2);
const states = (pattern) => args.some((each) => pattern.test(each));

assertNodeVersion();
installPackages();
buildIfStale();
const isOfClient = states(/^--(client|command|case|list)(=|$)/);
const isOfServer = states(/^--(server|bootstrap)(=|$)/);
// Help that names neither is help of both.
const areBoth = states(/^(--help|-h)$/) && !isOfClient && !isOfServer;
const programs = areBoth ? ['check-server', 'run-interop'] : [isOfClient ? 'run-interop' : 'check-server'];
const statuses = programs.map((name, index) => {
  if (index > 0) process.stdout.write('\n');
  const program = path.join(root, '.build', `${name}.mjs`);
  const { status } = spawnSync(process.execPath, [program, ...args], {
    stdio: 'inherit',
    env: { ...process.env, XDSCOPE_CWD: process.env.INIT_CWD ?? process.cwd() },
  });
  return status ?? 2;
});
process.exitCode = Math.max(...statuses);
