import { randomBytes } from 'node:crypto';
import os from 'node:os';
import path from 'node:path';
import { ConfigError } from '../config-error';

export interface ReadConfigOptions {
  /** Without `node` and the script. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly version: string;
}

/** Options that apply to `open`, which ignores sources of the environment. */
const kept = /^XDSCOPE_(?:HOST|PORT|TOKEN|ALLOWED_HOST|DATA_DIR|DESCRIPTOR_SET)$/;

/** `open FILE... [flags]`: the files, and the remaining command line and environment. Throws ConfigError. */
export function readCommand(options: ReadConfigOptions): {
  readonly options: ReadConfigOptions;
  readonly files: readonly string[];
} {
  const [command, ...words] = options.argv;
  if (command !== 'open') return { options, files: [] };
  const firstFlag = words.findIndex((word) => word.startsWith('-'));
  const files = firstFlag === -1 ? words : words.slice(0, firstFlag);
  if (files.length === 0 && !words.includes('--help'))
    throw new ConfigError('open: expected a file to open, got none');
  const env = Object.fromEntries(Object.entries(options.env).filter(([name]) => kept.test(name)));
  return { options: { ...options, argv: words.slice(files.length), env }, files };
}

/** The directory is created later. */
export function temporaryDataDir(): string {
  return path.join(os.tmpdir(), `xdscope-open-${randomBytes(6).toString('hex')}`);
}
