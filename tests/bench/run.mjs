// `npm run bench -- graph csds`: builds the server's programs, then measures what is named (everything by default).
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const run = (...args) => spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status ?? 1;

if (run('server/build.mjs', '--server') !== 0) process.exit(1);
await build({
  absWorkingDir: root,
  entryPoints: ['tests/bench/big-client.ts'],
  outfile: '.build/bench/big-client.mjs',
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  packages: 'external',
  logLevel: 'warning',
});
process.exit(run('--max-old-space-size=4096', '.build/bench/big-client.mjs', ...process.argv.slice(2)));
