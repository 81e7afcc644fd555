// `node tests/peers/nack-texts/run.mjs [service]`: writes tests/fixtures/nack-texts/envoy.json. See tests/peers/README.md.
import { spawnSync } from 'node:child_process';
import { build } from 'esbuild';
import { root } from '../../../server/prepare.mjs';

await build({
  absWorkingDir: root,
  entryPoints: { 'nack-texts': 'tests/peers/nack-texts/collect.ts' },
  outdir: '.build/peers',
  outExtension: { '.js': '.mjs' },
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  packages: 'external',
  sourcemap: 'linked',
  logLevel: 'warning',
});
const program = ['--enable-source-maps', '.build/peers/nack-texts.mjs', ...process.argv.slice(2)];
process.exitCode = spawnSync(process.execPath, program, { cwd: root, stdio: 'inherit' }).status ?? 1;
