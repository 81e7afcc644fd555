// Builds what `npm start` runs: the descriptor root, the server's programs (esbuild), the pages (Next).
// `node server/build.mjs --server` leaves the pages out (tests and development need only the first two).
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { compressAssets } from './compress-assets.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/** Programs of their own: the process entry, worker threads, child processes of the lab. */
const programs = {
  main: 'server/main.ts',
  'recorder-worker': 'server/recorder/recorder-worker.ts',
  'load-worker': 'server/recorder/load/load-worker.ts',
  'codec-worker': 'server/codec/codec-worker.ts',
  'probe-worker': 'server/xds/probe/probe-worker.ts',
  'tap-relay-worker': 'server/tap/proxy/tap-relay-worker.ts',
  'tap-recording-worker': 'server/tap/recording/tap-recording-worker.ts',
  'csds-poll-worker': 'server/csds/csds-poll-worker.ts',
  'csds-worker': 'server/csds/csds-worker.ts',
  'lrs-worker': 'server/lrs/lrs-worker.ts',
  'envoy-admin-worker': 'server/envoy-admin/envoy-admin-worker.ts',
  'istiod-worker': 'server/istiod/istiod-worker.ts',
  'graph-worker': 'server/answers/graph/graph-worker.ts',
  'convergence-worker': 'server/convergence/convergence-worker.ts',
  'validation-worker': 'server/validate/validation-worker.ts',
  'diff-worker': 'server/diff/diff-worker.ts',
  'file-worker': 'server/files/import/file-worker.ts',
  'recording-worker': 'server/files/import/recording-worker.ts',
  'lab-client': 'server/lab/client-process.ts',
};

function run(command, args, env = {}) {
  const result = spawnSync(command, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1', ...env },
  });
  if (result.status !== 0) process.exit(result.status ?? 1);
}

run(process.execPath, ['protos/build.mjs']);

await build({
  absWorkingDir: root,
  entryPoints: Object.fromEntries(
    Object.entries(programs).filter(([, file]) => existsSync(path.join(root, file))),
  ),
  outdir: '.build',
  outExtension: { '.js': '.mjs' },
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  packages: 'external',
  sourcemap: 'linked',
  logLevel: 'warning',
});

if (existsSync(path.join(root, 'app/_stream/shared-worker.ts'))) {
  await build({
    absWorkingDir: root,
    entryPoints: { 'stream-worker': 'app/_stream/shared-worker.ts' },
    outdir: 'public/generated',
    bundle: true,
    format: 'iife',
    platform: 'browser',
    target: 'es2022',
    minify: true,
    logLevel: 'warning',
  });
}

if (!process.argv.includes('--server')) {
  run(process.execPath, ['node_modules/next/dist/bin/next', 'build']);
}

await compressAssets(root, process.env.XDSCOPE_DIST_DIR ?? '.next');
