import { createHash } from 'node:crypto';

/**
 * A client's identity: its node id and its scope (gRFC A71: several XdsClients in one process), nothing else,
 * so that it is the same after a restart and from every vantage. 16 hex digits of SHA-256.
 */
export function clientIdOf(nodeId: string, scope: string): string {
  return createHash('sha256').update(nodeId).update('\u0000').update(scope).digest('hex').slice(0, 16);
}

/**
 * Of a client in a file: the same for the same file, and never that of a living one, which begins with a hex digit.
 * `source` is the file's id, `theirs` what the file calls the client.
 */
export function importedClientIdOf(source: string, theirs: string): string {
  const hash = createHash('sha256').update(source).update('\u0000').update(theirs).digest('hex');
  return `x${hash.slice(0, 15)}`;
}

export function isImportedClient(clientId: string): boolean {
  return clientId.startsWith('x');
}
