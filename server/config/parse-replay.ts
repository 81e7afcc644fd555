import path from 'node:path';
import type { Config } from './config';
import { parseListen } from './parse-listen';

/** "FILE" or "FILE@HOST:PORT"; a file whose name has an "@" needs the address behind it. Throws ConfigError. */
export function parseReplay(text: string, cwd: string): NonNullable<Config['replay']> {
  const at = text.lastIndexOf('@');
  if (at <= 0) return { file: path.resolve(cwd, text), host: '127.0.0.1', port: 0 };
  const { host, port } = parseListen('--replay', text.slice(at + 1));
  return { file: path.resolve(cwd, text.slice(0, at)), host, port };
}
