import { spawnSync } from 'node:child_process';
import { build } from 'esbuild';
import { root } from '../../server/prepare.mjs';

/** Bundles TypeScript programs into .build/peers, name -> source, and runs the first with the arguments of this process. */
export async function runProgram(entryPoints) {
  await build({
    absWorkingDir: root,
    entryPoints,
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
  const [name] = Object.keys(entryPoints);
  const args = ['--enable-source-maps', `.build/peers/${name}.mjs`, ...process.argv.slice(2)];
  process.exitCode = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status ?? 1;
}
