import { ConfigError } from './config-error';

/** Checks the `version` in a file of the data dir. Throws ConfigError, which leaves the file unchanged. */
export function assertVersion(file: string, expected: number, content: object): void {
  const found = 'version' in content ? content.version : undefined;
  if (found === expected) return;
  const got = found === undefined ? 'none' : JSON.stringify(found);
  throw new ConfigError(
    `${file}: expected version ${expected}, got ${got}: another xdscope wrote it; use the xdscope that wrote it, or another data dir, or move the file away`,
  );
}
