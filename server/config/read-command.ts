import { randomBytes } from 'node:crypto';
import os from 'node:os';
import path from 'node:path';
import { ConfigError } from '../config-error';
import type { ReadConfigOptions } from './read-config-options';

/** Options that apply to `open`, which ignores sources of the environment. */
const kept = /^XDSCOPE_(?:HOST|PORT|ALLOWED_HOST|DATA_DIR|DESCRIPTOR_SET)$/;

/** `open FILE... [flags]`: the files, and what is left of the command line and the environment. Throws ConfigError. */
export function readCommand(options: ReadConfigOptions): {
  readonly options: ReadConfigOptions;
  readonly files: readonly string[];
} {
  const [command, ...rest] = options.argv;
  if (command !== 'open') return { options, files: [] };
  const firstFlag = rest.findIndex((word) => word.startsWith('-'));
  const files = firstFlag === -1 ? rest : rest.slice(0, firstFlag);
  const isHelp = rest.includes('--help');
  if (files.length === 0 && !isHelp) throw new ConfigError('open: expected a file to open, got none');
  const env = Object.fromEntries(Object.entries(options.env).filter(([name]) => kept.test(name)));
  return { options: { ...options, argv: rest.slice(files.length), env }, files };
}

/** The directory is created later. */
export function temporaryDataDir(): string {
  return path.join(os.tmpdir(), `xdscope-open-${randomBytes(6).toString('hex')}`);
}
