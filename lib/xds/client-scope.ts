import { decodePercent } from './decode-percent';

/** The client_scope of the XdsClient that all servers of a gRPC process share (gRFC A71). */
export const serverScope = '#server';

/** The beginning of the scope of a probe whose node ID was configured: it is not a process with the same node ID. */
const probeScope = '#probe';

export function isProbeScope(scope: string): boolean {
  return scope.startsWith(probeScope);
}

/** Node ids of probes begin with it unless another one is configured. */
export const probeNodePrefix = 'xdscope-probe';

/**
 * `variant` distinguishes probes with one node id, which may have different servers: the id of the source, or the transport if
 * a tap sees the probe. A generated node id needs no scope: control planes identify the probe by it.
 */
export function scopeOfProbe(nodeId: string, variant: string): string {
  return nodeId.startsWith(probeNodePrefix) ? '' : `${probeScope} ${variant}`;
}

/** The first versions with an XdsClient, and therefore an ADS stream, for each target (gRFC A71). */
const firstWithTargets: readonly {
  readonly userAgent: RegExp;
  readonly version: readonly [number, number];
}[] = [
  { userAgent: /^gRPC Go\b.*?(\d+)\.(\d+)/, version: [1, 66] },
  { userAgent: /^gRPC Java\b.*?(\d+)\.(\d+)/, version: [1, 68] },
  // The version of C-core itself: 40 is gRPC 1.63.
  { userAgent: /^gRPC C-core\b.*?\bC-core (\d+)\.(\d+)/, version: [40, 0] },
];

/** Returns true if each target of the process has a stream of its own, according to the user agent of its node. */
export function hasStreamPerTarget({
  userAgentName,
  userAgentVersion,
}: {
  readonly userAgentName: string;
  readonly userAgentVersion: string;
}): boolean {
  return firstWithTargets.some(({ userAgent, version: [firstMajor, firstMinor] }) => {
    const [, major, minor] = userAgent.exec(`${userAgentName} ${userAgentVersion}`) ?? [];
    if (major === undefined || minor === undefined) return false;
    return Number(major) > firstMajor || (Number(major) === firstMajor && Number(minor) >= firstMinor);
  });
}

/**
 * Returns the scope of a stream that subscribes to these listeners. A target has one listener, whose name is its scope
 * until CSDS reports the target. Names for servers contain an address: server_listener_resource_name_template (gRFC
 * A36). Other combinations are of a whole process.
 */
export function scopeOfListeners(names: readonly string[]): string {
  const [first] = names;
  if (first === undefined) return '';
  if (names.every(isServerListener)) return serverScope;
  return names.length === 1 ? first : '';
}

/** Returns true if the name contains an address, as those of server_listener_resource_name_template do. */
export function isServerListener(name: string): boolean {
  return serverAddressIn(name) !== '';
}

/** The address that the name of a server's Listener ends with, as in "0.0.0.0:8080"; empty if it has none. */
export function serverAddressIn(name: string): string {
  const [, address = ''] =
    /[^\d.]((?:\d{1,3}(?:\.\d{1,3}){3}|\[[\d.a-f:]+\]):\d{1,5})$/i.exec(decodePercent(name) ?? name) ?? [];
  return address;
}
