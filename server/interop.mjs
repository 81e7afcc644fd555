// `npm run interop` installs and builds on a fresh clone, then checks a management server (`--server HOST:PORT`) or runs
// cases with a client (`--client NAME`).
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { assertNodeVersion, buildIfStale, installPackages, root } from './prepare.mjs';

assertNodeVersion();
installPackages();
buildIfStale();
const isOfClient = process.argv.some((each) => /^--(client|list)\b/.test(each));
const program = path.join(root, '.build', isOfClient ? 'run-interop.mjs' : 'check-server.mjs');
const { status } = spawnSync(process.execPath, [program, ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: { ...process.env, XDSCOPE_CWD: process.env.INIT_CWD ?? process.cwd() },
});
process.exitCode = status ?? 2;
