import { createHash } from 'node:crypto';

/**
 * Returns the id of a client: 16 hex digits of the SHA-256 of its node id and its scope (gRFC A71: several XdsClients
 * in one process). It is the same after a restart and from every vantage.
 */
export function clientIdOf(nodeId: string, scope: string): string {
  return createHash('sha256').update(nodeId).update('\u0000').update(scope).digest('hex').slice(0, 16);
}

/**
 * Returns the id of a client in a file, which is equal for equal files, and never that of a live client, which begins
 * with a hex digit. `source` is the id of the file, `theirs` the client's id in the file.
 */
export function importedClientIdOf(source: string, theirs: string): string {
  const hash = createHash('sha256').update(source).update('\u0000').update(theirs).digest('hex');
  return `x${hash.slice(0, 15)}`;
}
