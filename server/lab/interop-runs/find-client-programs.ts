import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { by } from '@/lib/collections/compare';
import { type ClientProgram, labClient, labServer, type ServerProgram } from './client-program';

interface Built {
  /** How the program is started from its folder. */
  readonly start: (dir: string) => Pick<ClientProgram, 'command' | 'environment'>;
  /** The file of the folder without which the program has no flag `--twin`: it was built by an earlier version. */
  readonly twinFile: string;
}

/** Programs that `npm run test:peers` builds. */
const built: Readonly<Record<string, Built>> = {
  'grpc-go': {
    start: (dir) => ({ command: [path.join(dir, 'program')] }),
    twinFile: 'twin.go',
  },
  'grpc-java': {
    start: (dir) => ({
      command: [
        ...['java', '-Xmx256m', '-cp', `${path.join(dir, 'classes')}:${path.join(dir, 'lib', '*')}`],
        ...['TestClient', path.join(dir, 'types.binpb.gz')],
      ],
    }),
    twinFile: 'classes/TwinClient.class',
  },
  'c-core': {
    start: (dir) => ({
      command: ['python3', '-u', path.join(dir, 'client.py'), path.join(dir, 'types.binpb.gz')],
      environment: { PYTHONPATH: dir },
    }),
    twinFile: 'twin.py',
  },
};

/** The program with this name in the folder that its preparation has filled. Throws if there is no such program. */
export function describeBuilt(name: string, version: string, dir: string): ClientProgram {
  const known = built[name];
  if (known === undefined)
    throw new Error(`client: expected one of ${Object.keys(built).join(', ')}, got ${name}`);
  const isTwin = existsSync(path.join(dir, known.twinFile));
  return { name, version, ...known.start(dir), ...(isTwin && { isTwin }) };
}

/** The client of the lab, then those that `npm run test:peers` has built, the newest version of each first. */
export async function findClientPrograms(cacheDir = usualCacheDir()): Promise<readonly ClientProgram[]> {
  const found = await Promise.all(
    Object.keys(built).map(async (name) => {
      const folder = path.join(cacheDir, `interop-${name}`);
      // Nothing was built.
      const entries = await readdir(folder).catch(() => []);
      const complete = entries.filter((each) => /^\d+\.\d+\.\d+-[0-9a-f]+$/.test(each));
      const prepared = await Promise.all(
        complete.map(async (entry) => {
          const dir = path.join(folder, entry);
          return { dir, version: entry.slice(0, entry.lastIndexOf('-')), at: (await stat(dir)).mtimeMs };
        }),
      );
      // The folder of a version that was prepared last has the current sources.
      const newest = new Map(prepared.sort(by(({ at }) => at)).map((each) => [each.version, each]));
      return [...newest.values()]
        .sort((a, b) => b.version.localeCompare(a.version, 'en', { numeric: true }))
        .map(({ version, dir }) => describeBuilt(name, version, dir));
    }),
  );
  return [labClient(), ...found.flat()];
}

/** The programs that are xDS-enabled servers as well, that of the lab first. */
export function serverProgramsOf(clients: readonly ClientProgram[]): readonly ServerProgram[] {
  return [labServer(), ...clients.filter(({ name }) => name === 'grpc-go' || name === 'c-core')];
}

/** The directory in which tests/peers/cache.ts keeps what it prepares. */
function usualCacheDir(): string {
  return process.env.XDSCOPE_PEERS_DIR ?? path.join(os.homedir(), '.cache', 'xdscope-peers');
}
