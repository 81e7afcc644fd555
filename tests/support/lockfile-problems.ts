/** The parts of package.json and of a lockfile (version 3) that are compared. */
export interface PackageJson {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

export interface LockedPackage extends PackageJson {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly inBundle?: boolean;
  readonly hasInstallScript?: boolean;
}

export interface Lockfile {
  /** By folder: "" is the project, "node_modules/a/node_modules/b" a package that only a sees. */
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

/** Each reason why `npm ci` would fail on some platform, or would install what nobody can verify. */
export function findLockfileProblems(project: PackageJson, { packages }: Lockfile): string[] {
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

/** As Node looks a package up: in the folder's own node_modules, then in those of the folders above it. */
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
