import { createHash } from 'node:crypto';
import { findStartOfTarget } from '@/lib/resolve/start-of-target';
import { isProbeScope, serverScope } from '@/lib/xds/client-scope';
import { findProxyName } from '@/lib/xds/istio-node';
import { normaliseResourceName } from '@/lib/xds/resource-name';

interface IdentifiedNode {
  readonly id: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/**
 * Returns the id of a client: 16 hex digits of the SHA-256 of its process and its scope (gRFC A71: several XdsClients
 * in one process). It is the same after a restart and from every vantage.
 */
export function clientIdOf(process: string, scope: string): string {
  return createHash('sha256').update(process).update('\u0000').update(scope).digest('hex').slice(0, 16);
}

/**
 * Identifies a client by its node, and by its scope as a source reports it: empty for the whole process, "#server", or
 * a target. `listener` is the name that the client subscribes to for the target, if it is known.
 */
export function identifyClient(node: IdentifiedNode, scope: string, listener?: string): string {
  return clientIdOf(processOf(node), listener ?? listenerOfScope(scope));
}

/** A node id identifies a process. istiod uses a part of the node id of its proxies, which is unique in a cluster. */
function processOf({ id, metadata }: IdentifiedNode): string {
  const name = findProxyName({ id, metadata });
  if (name === undefined) return id;
  const { CLUSTER_ID: cluster } = metadata;
  return `istio ${typeof cluster === 'string' ? cluster : ''} ${name}`;
}

/** Targets that differ in their spelling, as "xds:/svc" of C-core and "xds:///svc" of Go, have the same listener. */
function listenerOfScope(scope: string): string {
  if (scope === '' || scope === serverScope || isProbeScope(scope)) return scope;
  const start = findStartOfTarget(scope);
  return normaliseResourceName(start.ok ? start.listener : scope);
}

/**
 * Returns the id of a client in a file, which is equal for equal files, and never that of a live client, which begins
 * with a hex digit. `source` is the id of the file, `theirs` the client's id in the file.
 */
export function importedClientIdOf(source: string, clientId: string): string {
  const hash = createHash('sha256').update(source).update('\u0000').update(clientId).digest('hex');
  return `x${hash.slice(0, 15)}`;
}
