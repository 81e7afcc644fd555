import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '@/server/project-root';

/** The parts of package.json and of a lockfile (version 3) that are compared. */
interface PackageJson {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

interface LockedPackage extends PackageJson {
  /** The name of the package if its folder has another one. */
  readonly name?: string;
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly inBundle?: boolean;
  readonly hasInstallScript?: boolean;
}

interface Lockfile {
  /** The key is the folder: "" is the project, "node_modules/a/node_modules/b" a package that only a can import. */
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

/** The reasons why `npm ci` would fail on some platform or install an unverifiable package. */
function findLockfileProblems(project: PackageJson, { packages }: Lockfile): string[] {
  const problems: string[] = [];
  for (const kind of ['dependencies', 'devDependencies', 'optionalDependencies'] as const) {
    const [wanted, locked] = [project[kind] ?? {}, packages['']?.[kind] ?? {}];
    for (const name of new Set([...Object.keys(wanted), ...Object.keys(locked)])) {
      if (wanted[name] === locked[name]) continue;
      problems.push(`${kind} ${name}: package.json has ${wanted[name]}, the lockfile ${locked[name]}`);
    }
  }
  for (const [folder, locked] of Object.entries(packages)) {
    if (locked.resolved !== undefined) problems.push(`${folder}: names the host ${locked.resolved}`);
    if (folder !== '' && locked.integrity === undefined && locked.inBundle !== true) {
      problems.push(`${folder}: has no integrity`);
    }
    const required = { ...locked.dependencies, ...locked.devDependencies, ...locked.optionalDependencies };
    for (const [name, range] of Object.entries(required)) {
      const found = findInstalled(packages, folder, name);
      const isExact = /^\d+\.\d+\.\d+\S*$/.test(range);
      if (found === undefined || (isExact && found.version !== range)) {
        problems.push(`${folder}: requires ${name}@${range}, the lockfile has ${found?.version ?? 'none'}`);
      }
    }
  }
  return problems;
}

/** Resolves a package like Node: in the node_modules of the folder, then in those of its parents. */
function findInstalled(
  packages: Lockfile['packages'],
  folder: string,
  name: string,
): LockedPackage | undefined {
  const inFolder = packages[`${folder === '' ? '' : `${folder}/`}node_modules/${name}`];
  if (inFolder !== undefined || folder === '') return inFolder;
  const parent = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')));
  return findInstalled(packages, parent, name);
}

const readText = (name: string): string => readFileSync(path.join(projectRoot, name), 'utf8');
const project: PackageJson & { readonly dependencies: Record<string, string> } = JSON.parse(
  readText('package.json'),
);
const lockfile: Lockfile = JSON.parse(readText('package-lock.json'));

/** server/decisions/0026-packages-without-scripts.md states the reason of each. */
const knownScripts = ['esbuild', 'protobufjs'];

function without(folder: string): Lockfile {
  expect(lockfile.packages).toHaveProperty([folder]);
  return {
    packages: Object.fromEntries(Object.entries(lockfile.packages).filter(([name]) => name !== folder)),
  };
}

describe('the lockfile', () => {
  it('fits package.json, and lists every package for every platform with its integrity and no host', () => {
    expect(findLockfileProblems(project, lockfile)).toEqual([]);
    const platforms = Object.values(lockfile.packages).flatMap(({ optionalDependencies = {} }) =>
      Object.keys(optionalDependencies),
    );
    expect(platforms).toEqual(
      expect.arrayContaining([
        '@biomejs/cli-darwin-arm64',
        '@next/swc-win32-x64-msvc',
        'lightningcss-darwin-x64',
      ]),
    );
  });

  it('has a problem once one platform package is missing', () => {
    const damaged = without('node_modules/@next/swc-darwin-arm64');
    expect(findLockfileProblems(project, damaged)).toEqual([
      expect.stringContaining('node_modules/next: requires @next/swc-darwin-arm64@'),
    ]);
  });

  it('has a problem once package.json asks for another version', () => {
    const changed = { ...project, dependencies: { ...project.dependencies, zod: '4.0.0' } };
    expect(findLockfileProblems(changed, lockfile)).toEqual([
      `dependencies zod: package.json has 4.0.0, the lockfile ${project.dependencies.zod}`,
    ]);
  });

  it('has no package with an install script besides those that are known, and npm runs none of them', () => {
    const scripts = Object.entries(lockfile.packages).filter(([, locked]) => locked.hasInstallScript);
    const names = scripts.map(([folder]) => folder.slice(folder.lastIndexOf('node_modules/') + 13));
    expect([...new Set(names)].filter((name) => !knownScripts.includes(name))).toEqual([]);
    expect(readText('.npmrc').split('\n')).toContain('ignore-scripts=true');
  });

  it('has no sharp, which serves the image optimizer of Next alone, and none of its binaries', () => {
    const found = Object.entries(lockfile.packages).filter(([folder, { name }]) => {
      return /(?:^|\/)(?:@img\/|sharp$)/.test(folder) && name !== 'client-only';
    });
    expect(found).toEqual([]);
  });

  it('has at most 25 direct runtime dependencies, or one justified line for each further one', () => {
    const decision = readText('server/decisions/0026-packages-without-scripts.md');
    const justified = [...decision.matchAll(/^- `([^`]+)`: \S/gm)].map(([, name]) => name);
    const names = Object.keys(project.dependencies);
    expect(names.filter((name) => !justified.includes(name)).length).toBeLessThanOrEqual(25);
  });
});

describe('npm start and npm test', () => {
  it('end with one clear line where the lockfile does not fit package.json', () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'xdscope-lockfile-'));
    try {
      mkdirSync(path.join(folder, 'server'));
      mkdirSync(path.join(folder, 'local'));
      cpSync(path.join(projectRoot, 'server/prepare.mjs'), path.join(folder, 'server/prepare.mjs'));
      const write = (name: string, content: unknown): void =>
        writeFileSync(path.join(folder, name), JSON.stringify(content));
      write('local/package.json', { name: 'local', version: '1.0.0' });
      write('package.json', { name: 'app', version: '1.0.0', dependencies: { local: 'file:local' } });
      const packages = { '': { name: 'app', version: '1.0.0' } };
      write('package-lock.json', { name: 'app', version: '1.0.0', lockfileVersion: 3, packages });
      const prepare = pathToFileURL(path.join(folder, 'server/prepare.mjs')).href;
      const program = `import { installPackages } from ${JSON.stringify(prepare)}; installPackages();`;
      const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
        encoding: 'utf8',
      });
      expect(status).toBe(1);
      expect(stderr).toContain('Missing: local@');
      expect(stderr.trimEnd().split('\n').at(-1)).toMatch(
        /^xdscope: npm ci ended with 1: package-lock\.json does not fit package\.json/,
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
