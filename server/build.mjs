// Builds what `npm start` runs: the descriptor root, the server's programs (esbuild), the pages (Next). `node
// server/build.mjs --server` leaves the pages out; tests and development need only the first two.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { compressAssets } from './compress-assets.mjs';
import { stamp } from './prepare.mjs';
import { labClientBuild, serverBuild, streamWorkerBuild } from './programs.mjs';

const startedAt = new Date();
const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

function run(command, args, env = {}) {
  const result = spawnSync(command, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1', ...env },
  });
  if (result.status !== 0) process.exit(result.status ?? 1);
}

run(process.execPath, ['protos/build.mjs']);

await build(serverBuild(root));
await build(labClientBuild(root));
await build(streamWorkerBuild(root));

const isWhole = !process.argv.includes('--server');
if (isWhole) run(process.execPath, ['node_modules/next/dist/bin/next', 'build']);

await compressAssets(root, process.env.XDSCOPE_DIST_DIR ?? '.next');

if (isWhole) {
  mkdirSync(path.dirname(stamp), { recursive: true });
  writeFileSync(stamp, `${startedAt.toISOString()}\n`);
}
