import path from 'node:path';
import { z } from 'zod';
import { ConfigError } from '../config-error';
import type { Config, ConfigFile } from './config';
import { parseListen } from './parse-listen';

const moment = z.iso.datetime({ offset: true });

/**
 * `replay` is "FILE" or "FILE@HOST:PORT"; a file whose name has an "@" needs the address behind it. null: nothing is to be
 * replayed. Throws ConfigError.
 */
export function parseReplay(
  { replay, replayClient, replayAt }: Pick<ConfigFile, 'replay' | 'replayClient' | 'replayAt'>,
  cwd: string,
): Config['replay'] {
  if (replay === undefined) {
    const alone = replayClient === undefined ? 'at' : 'client';
    if (replayClient === undefined && replayAt === undefined) return null;
    throw new ConfigError(`--replay-${alone}: expected --replay beside it, got none`);
  }
  if (replayAt !== undefined && !moment.safeParse(replayAt).success) {
    const got = JSON.stringify(replayAt);
    throw new ConfigError(`--replay-at: expected a time as in 2026-11-21T11:04:07Z, got ${got}`);
  }
  const which = { nodeId: replayClient ?? null, at: replayAt === undefined ? null : Date.parse(replayAt) };
  const at = replay.lastIndexOf('@');
  if (at <= 0) return { file: path.resolve(cwd, replay), host: '127.0.0.1', port: 0, ...which };
  const { host, port } = parseListen('--replay', replay.slice(at + 1));
  return { file: path.resolve(cwd, replay.slice(0, at)), host, port, ...which };
}
