import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { parseRequestPath } from './request-path';

/** The reason why a request is rejected before any page or handler receives it. */
interface Rejection {
  readonly status: 403 | 421;
  readonly title: string;
  readonly detail: string;
}

interface RequestGateOptions {
  /** Names (no port) under which browsers may reach this server, besides IP addresses and localhost. */
  readonly allowedHosts: readonly string[];
}

const reads = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Values of Sec-Fetch-Site of requests that no page of another site caused. */
const ownSites = ['same-origin', 'same-site', 'none'];

/**
 * Protects the server from other web sites, also one that requires no token. Runs before Next, so that no header of Next bypasses it.
 * - A Host with a foreign name is DNS rebinding: rejected (421) for every request. An IP address cannot be rebound.
 * - A write, or the opening of a stream, that a browser sends from another origin is rejected (403). Programs that send
 *   neither Origin nor Sec-Fetch-Site (curl) are not from a browser and pass.
 * - A read that a browser sends for a page of another site is rejected (403), except the navigation of a window to a page of
 *   ours: reads cost up to seconds, and the other page could not use the answer (decision 0029).
 */
export function findRejection(request: IncomingMessage, options: RequestGateOptions): Rejection | undefined {
  const host = request.headers.host;
  if (host === undefined || !isAllowedHost(hostNameOf(host), options.allowedHosts)) {
    return {
      status: 421,
      title: 'Misdirected request',
      detail: `Host: expected an IP address, localhost or a name given with --allowed-host, got ${JSON.stringify(host ?? '')}`,
    };
  }
  const isRead = reads.has(request.method ?? 'GET');
  const path = parseRequestPath(request.url ?? '/');
  const isStream = isRead && isStreamPath(path);
  const { origin } = request.headers;
  const site = request.headers['sec-fetch-site'];
  if (isRead && !isStream) {
    const { 'sec-fetch-mode': mode, 'sec-fetch-dest': target } = request.headers;
    const opensPage = mode === 'navigate' && target === 'document' && !isDataPath(path);
    return opensPage ? undefined : findCrossSite({ host, origin, site });
  }
  if (origin !== undefined) {
    if (originHost(origin) === host.toLowerCase()) return undefined;
    return {
      status: 403,
      title: 'Cross-origin request',
      detail: `Origin: expected this server (${host}), got ${JSON.stringify(origin)}`,
    };
  }
  if (site !== undefined && site !== 'same-origin' && site !== 'none') {
    return {
      status: 403,
      title: 'Cross-origin request',
      detail: `Sec-Fetch-Site: expected same-origin, got ${JSON.stringify(site)}`,
    };
  }
  return undefined;
}

/** Browsers omit Sec-Fetch-Site if the connection is not trustworthy (plain HTTP by address); Origin then decides. */
function findCrossSite({
  host,
  origin,
  site,
}: {
  readonly host: string;
  readonly origin: string | undefined;
  readonly site: string | readonly string[] | undefined;
}): Rejection | undefined {
  const isForeign = origin !== undefined && originHost(origin) !== host.toLowerCase();
  const got =
    site === undefined
      ? isForeign && `Origin ${JSON.stringify(origin)}`
      : !ownSites.some((each) => each === site) && `Sec-Fetch-Site ${JSON.stringify(site)}`;
  if (got === false) return undefined;
  return {
    status: 403,
    title: 'Cross-site request',
    detail: `expected a request of this server's own pages or of no page (Sec-Fetch-Site ${ownSites.join(', ')}), got ${got}`,
  };
}

/** API and metrics. A malformed path is rejected later. */
function isDataPath(path: string | undefined): boolean {
  return path !== undefined && /^\/+(?:api|metrics)(?:\/|$)/.test(path);
}

/** A malformed path opens no stream. */
function isStreamPath(path: string | undefined): boolean {
  return path !== undefined && /^\/+api\/+v1\/+stream(?:\/|$)/.test(path);
}

function isAllowedHost(name: string, allowedHosts: readonly string[]): boolean {
  if (name === 'localhost' || name.endsWith('.localhost') || isIP(name) !== 0) return true;
  return allowedHosts.some((allowed) => allowed.toLowerCase() === name);
}

/** Converts "[::1]:3000" to "::1", and "Localhost:3000" to "localhost". */
function hostNameOf(host: string): string {
  const bracketed = /^\[([^\]]+)\](?::\d+)?$/.exec(host);
  return (bracketed?.[1] ?? host.replace(/:\d+$/, '')).toLowerCase();
}

function originHost(origin: string): string | undefined {
  try {
    return new URL(origin).host.toLowerCase();
  } catch {
    // "null" and other opaque origins have no host, and are therefore foreign.
    return undefined;
  }
}
