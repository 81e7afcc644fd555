import path from 'node:path';
import { BootstrapError } from './bootstrap-error';

/** From `cwd`; null: it must be absolute, since whoever named it does not know where xdscope runs. */
export function resolveFile(said: string, where: string, cwd: string | null): string {
  if (cwd !== null) return path.resolve(cwd, said);
  if (path.isAbsolute(said)) return said;
  throw new BootstrapError(where, `expected an absolute path, got ${JSON.stringify(said)}`);
}
