import { createHash } from 'node:crypto';

/**
 * A client's identity: its node id and its scope (gRFC A71: several XdsClients in one process), nothing else,
 * so that it is the same after a restart and from every vantage. 16 hex digits of SHA-256.
 */
export function clientIdOf(nodeId: string, scope: string): string {
  return createHash('sha256').update(nodeId).update('\u0000').update(scope).digest('hex').slice(0, 16);
}
