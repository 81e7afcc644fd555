import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { projectRoot } from '@/server/project-root';

/** One import statement, export statement with a source, or dynamic import. */
export interface Import {
  /** The path from the root, as in "server/collect/xds/probe/probe.ts". */
  readonly file: string;
  /** A file of the project from the root without its ending, or a package. */
  readonly target: string;
  readonly isTypeOnly: boolean;
}

/** The TypeScript files in a folder of the project, generated ones left out, as in "server/collect/xds/probe/probe.ts". */
export function listSources(folder: string): string[] {
  return readdirSync(path.join(projectRoot, folder), { withFileTypes: true }).flatMap((entry) => {
    const file = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return entry.name === 'generated' ? [] : listSources(file);
    return /\.tsx?$/.test(entry.name) ? [file] : [];
  });
}

const statement =
  /(?:^|\n)\s*(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)/g;

function importsOf(file: string): Import[] {
  const source = readFileSync(path.join(projectRoot, file), 'utf8');
  return [...source.matchAll(statement)].map(([, type, from, dynamic]) => ({
    file,
    target: resolveTarget(file, from ?? dynamic ?? ''),
    isTypeOnly: type !== undefined,
  }));
}

function resolveTarget(file: string, specifier: string): string {
  if (specifier.startsWith('@/')) return specifier.slice(2);
  if (specifier.startsWith('.')) return path.posix.join(path.posix.dirname(file), specifier);
  return specifier;
}

/** All imports of the TypeScript files in these folders of the project, type-only imports included. */
export function readImports(folders: readonly string[]): Import[] {
  return folders.flatMap(listSources).flatMap(importsOf);
}
