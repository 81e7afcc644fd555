// `npm run dev` starts Next's development server for the pages, and builds and restarts the server when a file below
// server/ or lib/ changes.
import path from 'node:path';
import { assertNodeVersion, installPackages, root, run } from './prepare.mjs';

assertNodeVersion();
installPackages();
if (run(process.execPath, ['protos/build.mjs']) !== 0) process.exit(1);

// These modules import packages, which may have just been installed.
const { build, context } = await import('esbuild');
const { labClientBuild, serverBuild, streamWorkerBuild } = await import('./programs.mjs');
const { runWithReload } = await import('./reload.mjs');

await build(labClientBuild(root));
const streamWorker = await context(streamWorkerBuild(root));
await streamWorker.watch();
const end = await runWithReload({
  build: serverBuild(root),
  args: ['--enable-source-maps', path.join(root, '.build', 'main.mjs'), '--dev', ...process.argv.slice(2)],
  env: { ...process.env, NODE_ENV: 'development', NEXT_TELEMETRY_DISABLED: '1' },
  onBuildFailed() {
    process.stderr.write('xdscope: the build failed, so the server was not restarted\n');
  },
  onExit(code) {
    // Code 0 is that of --help. Code 2 is an error in an option or a file of the user, which no change of a source
    // resolves.
    if (code === 0 || code === 2) process.exit(code);
    process.stderr.write(`xdscope: the server ended with ${code}; it starts again after the next change\n`);
  },
});

let ending;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    // The second signal does not wait for the server; process.on('exit') of reload.mjs ends it.
    if (ending !== undefined) process.exit(1);
    ending = Promise.all([end(), streamWorker.dispose()]).then(() => process.exit(0));
  });
}
