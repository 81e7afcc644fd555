import { spawnSync } from 'node:child_process';
import { build } from 'esbuild';
import { root } from '../../server/prepare.mjs';

/** Bundles TypeScript programs into .build/peers, name -> source, and runs the first. */
export async function runProgram(entryPoints, args = process.argv.slice(2)) {
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
  const program = ['--enable-source-maps', `.build/peers/${name}.mjs`, ...args];
  process.exitCode = spawnSync(process.execPath, program, { cwd: root, stdio: 'inherit' }).status ?? 1;
}
