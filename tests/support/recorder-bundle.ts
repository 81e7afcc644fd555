import path from 'node:path';
import { buildSync } from 'esbuild';
import { projectRoot } from '@/server/project-root';

/** Bundles a file of tests/support into a program, and returns its path. */
export function bundleSupportProgram(name: string): string {
  const outfile = path.join(projectRoot, '.build', 'tests', `${name}.mjs`);
  buildSync({
    absWorkingDir: projectRoot,
    entryPoints: [path.join('tests/support', `${name}.ts`)],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    logLevel: 'warning',
  });
  return outfile;
}
