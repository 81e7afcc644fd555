import { parseTarget, type Target } from '../targets/target';

type ParsedServerUri =
  | { readonly ok: true; readonly target: Target }
  | { readonly ok: false; readonly reason: string };

/** True for "unix:///run/xds.sock", but not for "unix:80", which is a host and a port. */
export function isUnixSocket(serverUri: string): boolean {
  return /^unix(-abstract)?:(?!\d+$)/i.test(serverUri);
}

/** The port of a gRPC target without one. */
const defaultPort = 443;

/**
 * Parses a gRPC target name (`dns:///host:port`, `dns:host`, `ipv4:1.2.3.4:5`, `ipv6:[::1]:5`, `host:port`). Other schemes
 * are rejected, because they would make unix sockets and other meshes reachable.
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
      // "ipv6:::1" is valid and has no port.
      return rest.startsWith('[') ? rest : `[${rest}]`;
    case 'dns': {
      // dns:[//authority/]host[:port], where the authority is a DNS server, which is ignored.
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
