import { parseTarget, type Target } from '../dial/target';

export type ParsedServerUri =
  | { readonly ok: true; readonly target: Target }
  | { readonly ok: false; readonly reason: string };

/** As in "unix:///run/xds.sock"; "unix:80" is a host of that name. */
export function isUnixSocket(serverUri: string): boolean {
  return /^unix(-abstract)?:(?!\d+$)/i.test(serverUri);
}

/** gRPC resolves a target without a port to this one. */
const defaultPort = 443;

/**
 * A gRPC target name as bootstrap files have it (`dns:///host:port`, `dns:host`, `ipv4:1.2.3.4:5`, `ipv6:[::1]:5`,
 * `host:port`) to host and port. Other schemes are rejected: they would reach what nobody meant (unix sockets, other
 * meshes).
 */
export function parseServerUri(serverUri: string): ParsedServerUri {
  const quoted = JSON.stringify(serverUri);
  const scheme = /^([a-z][a-z0-9+.-]*):(?!\d+$)/i.exec(serverUri)?.[1]?.toLowerCase();
  const rest = scheme === undefined ? serverUri : serverUri.slice(scheme.length + 1);
  const endpoint = endpointOf(scheme, rest);
  if (endpoint === undefined) {
    return { ok: false, reason: `expected host:port, dns:, ipv4: or ipv6:, got ${quoted}` };
  }
  if (endpoint.includes(',')) {
    return { ok: false, reason: `expected one address, got several in ${quoted}` };
  }
  const parsed = parseTarget(withPort(endpoint));
  return parsed.ok ? parsed : { ok: false, reason: `${parsed.problem.message}, in ${quoted}` };
}

function endpointOf(scheme: string | undefined, rest: string): string | undefined {
  switch (scheme) {
    case undefined:
    case 'ipv4':
      return rest;
    case 'ipv6':
      // "ipv6:::1" is legal and has no port.
      return rest.startsWith('[') ? rest : `[${rest}]`;
    case 'dns': {
      // dns:[//authority/]host[:port]; which DNS server to ask is not ours to choose.
      const withAuthority = /^\/\/([^/]*)\/(.+)$/.exec(rest);
      return withAuthority === null ? rest : withAuthority[2];
    }
    default:
      return undefined;
  }
}

function withPort(endpoint: string): string {
  const hasPort = endpoint.startsWith('[') ? /\]:/.test(endpoint) : endpoint.includes(':');
  return hasPort ? endpoint : `${endpoint}:${defaultPort}`;
}
