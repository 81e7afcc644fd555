import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

function findProjectRoot(): string {
  let dir = path.dirname(fileURLToPath(import.meta.url));
  while (!existsSync(path.join(dir, 'package.json'))) {
    const parent = path.dirname(dir);
    if (parent === dir) throw new Error(`no package.json above ${fileURLToPath(import.meta.url)}`);
    dir = parent;
  }
  return dir;
}

export const projectRoot = findProjectRoot();

/**
 * Returns the path of a worker or child program that server/build.mjs bundles (`lab-client` is .build/lab-client.mjs).
 * The built server and the tests use the same file.
 */
export function builtProgram(name: string): string {
  return path.join(projectRoot, '.build', `${name}.mjs`);
}
