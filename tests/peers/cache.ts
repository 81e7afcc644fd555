import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { projectRoot } from '@/server/project-root';
import type { Peer, Prepared, Tool } from './peer';

/** Outside the clone: a fresh clone uses what an earlier one has prepared. */
const cacheDir = process.env.XDSCOPE_PEERS_DIR ?? path.join(os.homedir(), '.cache', 'xdscope-peers');

const arguments_: Record<Tool, string> = {
  python3: '-m pip --version',
  go: 'version',
  java: '-version',
  javac: '-version',
  mvn: '--version',
};

/** The tools of the peer that this machine lacks. */
export function missingTools({ tools }: Peer): Tool[] {
  return tools.filter(
    (tool) => spawnSync(tool, arguments_[tool].split(' '), { stdio: 'ignore' }).status !== 0,
  );
}

/**
 * The prepared peer of a version. The folder's name contains a hash of the peer's sources, so that a change of these
 * prepares it again. A folder appears under its name only when it is complete.
 */
export async function preparePeer(peer: Peer, version: string): Promise<Prepared> {
  const hash = createHash('sha256');
  for (const input of peer.inputs) hash.update(readFileSync(path.join(projectRoot, input)));
  const dir = path.join(cacheDir, peer.name, `${version}-${hash.digest('hex').slice(0, 8)}`);
  if (!existsSync(dir)) {
    const unfinished = `${dir}.${process.pid}`;
    rmSync(unfinished, { recursive: true, force: true });
    mkdirSync(unfinished, { recursive: true });
    await peer.prepare(unfinished, version);
    if (existsSync(dir)) rmSync(unfinished, { recursive: true, force: true });
    else renameSync(unfinished, dir);
  }
  return { version, dir };
}

/** Runs a command of a preparation; rejects with its output unless it succeeds. */
export function runTool(command: string, args: readonly string[], dir: string, env = {}): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: dir,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString('utf8');
      });
    }
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve();
      else
        reject(
          new Error(`${command} ${args.join(' ')} in ${dir}: exit code ${code}\n${output.slice(-4_000)}`),
        );
    });
  });
}

/** A file of this suite that a preparation copies. */
export function suiteFile(...parts: string[]): string {
  return path.join(projectRoot, 'tests', 'peers', ...parts);
}
