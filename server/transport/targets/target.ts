import { isIPv4, isIPv6 } from 'node:net';
import type { Problem } from '@/lib/observation/observation';

/** The address of a server. `text` is its canonical form, `host:port` or `[v6]:port`. Host names are in lower case. */
export interface Target {
  readonly host: string;
  readonly port: number;
  readonly text: string;
  /** True if a flag, the environment or the config file names it. --allow-target does not limit such targets. */
  readonly isNamed?: boolean;
  /** The path of a Unix socket, which has no port. Only start options can name one, because it is local to this machine. */
  readonly socketPath?: string;
}

export type ParsedTarget =
  | { readonly ok: true; readonly target: Target }
  | { readonly ok: false; readonly problem: Problem };

const hint = 'as in 127.0.0.1:50051, mesh.example:9090 or [::1]:50051';

/**
 * Parses `host:port`. All schemes, paths and user infos are rejected, because gRPC's schemes (dns:, unix:, xds:, google-c2p:)
 * would make other destinations reachable.
 */
export function parseTarget(text: string): ParsedTarget {
  const trimmed = text.trim();
  const reject = (what: string): ParsedTarget => ({
    ok: false,
    problem: {
      code: 'BAD_TARGET',
      message: `expected host:port, got ${what}`,
      hint,
    },
  });
  if (trimmed === '') return reject('nothing');
  // The message must not contain a password.
  const shown = trimmed.replace(/[^/]*@/, '…@');
  const quoted = JSON.stringify(shown.length > 200 ? `${shown.slice(0, 200)}…` : shown);
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed)) return reject(`${quoted}: leave the scheme out`);
  if (/^(dns|unix|unix-abstract|xds|ipv4|ipv6|vsock|google-c2p|passthrough|file|data):/i.test(trimmed)) {
    if (!/^[a-z0-9-]+:\d+$/i.test(trimmed)) return reject(`${quoted}: leave the scheme out`);
  }
  if (trimmed.includes('@')) return reject(`${quoted}: user names are not allowed`);
  if (/[/?#\\]/.test(trimmed)) return reject(`${quoted}: paths are not allowed`);

  const bracketed = /^\[([^\]]*)\](.*)$/.exec(trimmed);
  const [host, rest] = bracketed === null ? splitAtColon(trimmed) : [bracketed[1] ?? '', bracketed[2] ?? ''];
  if (bracketed !== null && !isIPv6(host))
    return reject(`${quoted}: there is no IPv6 address between the brackets`);
  if (bracketed === null && isIPv6(trimmed))
    return reject(`${quoted}: write an IPv6 address in brackets, with a port`);
  if (rest === '') return reject(`${quoted}: the port is missing`);
  if (!/^:\d{1,5}$/.test(rest)) return reject(`${quoted}: ${JSON.stringify(rest.slice(1))} is not a port`);
  const port = Number(rest.slice(1));
  if (port < 1 || port > 65_535) return reject(`${quoted}: a port is 1 to 65535`);
  if (bracketed !== null) return accept(host.toLowerCase(), port, `[${host.toLowerCase()}]`);
  if (host === '') return reject(`${quoted}: the host is missing`);
  if (!isHostName(host))
    return reject(`${quoted}: ${JSON.stringify(host)} is not a host name or an IP address`);
  return accept(host.toLowerCase(), port, host.toLowerCase());
}

function accept(host: string, port: number, shownHost: string): ParsedTarget {
  return { ok: true, target: { host, port, text: `${shownHost}:${port}` } };
}

function splitAtColon(text: string): [host: string, rest: string] {
  const colon = text.indexOf(':');
  return colon === -1 ? [text, ''] : [text.slice(0, colon), text.slice(colon)];
}

function isHostName(host: string): boolean {
  // Resolvers take names that end in a number for addresses, such as "127.1", "2130706433" or "127.0.0.0x1".
  if (/(^|\.)(\d+|0x[\da-f]*)\.?$/i.test(host)) return isIPv4(host);
  return (
    host.length <= 253 &&
    /^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*\.?$/i.test(host)
  );
}
