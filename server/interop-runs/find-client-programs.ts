import { readdir, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { type ClientProgram, labClient } from './client-program';

type Started = Pick<ClientProgram, 'command' | 'environment'>;

/** How a program that `npm run test:peers` has built is started from its folder. */
const built: Readonly<Record<string, (dir: string) => Started>> = {
  'grpc-go': (dir) => ({ command: [path.join(dir, 'program')] }),
  'c-core': (dir) => ({
    command: ['python3', '-u', path.join(dir, 'client.py'), path.join(dir, 'types.binpb.gz')],
    environment: { PYTHONPATH: dir },
  }),
};

/** The program with this name in the folder that its preparation has filled. Throws if there is no such program. */
export function describeBuilt(name: string, version: string, dir: string): ClientProgram {
  const startOf = built[name];
  if (startOf === undefined)
    throw new Error(`client: expected one of ${Object.keys(built).join(', ')}, got ${name}`);
  return { name, version, ...startOf(dir) };
}

/** The client of the lab, then those that `npm run test:peers` has built, the newest version of each first. */
export async function findClientPrograms(cacheDir = usualCacheDir()): Promise<readonly ClientProgram[]> {
  const found = await Promise.all(
    Object.keys(built).map(async (name) => {
      const folder = path.join(cacheDir, `interop-${name}`);
      // Nothing was built.
      const entries = await readdir(folder).catch(() => []);
      const complete = entries.filter((each) => /^\d+\.\d+\.\d+-[0-9a-f]+$/.test(each));
      const builds = await Promise.all(
        complete.map(async (entry) => {
          const dir = path.join(folder, entry);
          return { version: entry.slice(0, entry.lastIndexOf('-')), dir, at: (await stat(dir)).mtimeMs };
        }),
      );
      // Another source of the program is another build of the same version: the newest counts.
      const newest = new Map(builds.sort((a, b) => a.at - b.at).map((each) => [each.version, each]));
      const versions = [...newest.keys()].sort((a, b) => b.localeCompare(a, 'en', { numeric: true }));
      return versions.map((version) => describeBuilt(name, version, newest.get(version)?.dir ?? ''));
    }),
  );
  return [labClient(), ...found.flat()];
}

/** The directory in which tests/peers/cache.ts keeps what it prepares. */
function usualCacheDir(): string {
  return process.env.XDSCOPE_PEERS_DIR ?? path.join(os.homedir(), '.cache', 'xdscope-peers');
}
