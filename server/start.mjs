// `npm start` installs and builds on a fresh clone, then runs the server in a process with settings of its own. This
// process only passes signals on, and ends as the server ends.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { assertNodeVersion, buildIfStale, installPackages, root } from './prepare.mjs';
import { processSettings } from './process-settings.mjs';

assertNodeVersion();
installPackages();
buildIfStale();

const server = spawn(
  process.execPath,
  [...processSettings.flags, path.join(root, '.build', 'main.mjs'), ...process.argv.slice(2)],
  {
    // The server ends when the channel closes, so that none is left when this process is killed.
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: {
      ...process.env,
      ...processSettings.env,
      NODE_ENV: 'production',
      NEXT_TELEMETRY_DISABLED: '1',
    },
  },
);

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
for (const signal of signals) process.on(signal, () => server.kill(signal));

server.on('error', (error) => {
  process.stderr.write(`xdscope: ${process.execPath}: ${error.message}\n`);
  process.exit(1);
});
server.on('exit', (code, signal) => {
  if (signal === null) process.exit(code);
  for (const each of signals) process.removeAllListeners(each);
  process.kill(process.pid, signal);
});
