import { type Client, clientOf, type Profile } from '../xds/profile';

/** The request, as the caller sends it. */
export interface ExplainRequest {
  readonly method: string;
  readonly scheme: 'http' | 'https';
  readonly authority: string;
  /** With the query string. */
  readonly path: string;
  /** In the order in which they are sent; a name may occur several times. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** What is known of the connection; by default, what follows from the listener and the scheme. */
  readonly connection?: ExplainConnection | undefined;
}

export interface ExplainConnection {
  /** By default, that the scheme is https; a trusted x-forwarded-proto changes the scheme, and not this. */
  readonly isTls?: boolean | undefined;
  readonly destinationAddress?: string | undefined;
  readonly destinationPort?: number | undefined;
  readonly sourceAddress?: string | undefined;
  readonly sourcePort?: number | undefined;
  /** The server name of TLS (SNI), by default the host of the authority. */
  readonly serverName?: string | undefined;
  /** The application protocols (ALPN) that the caller offers. */
  readonly applicationProtocols?: readonly string[] | undefined;
}

/** The value of a header, as a matcher of a route sees it. */
export type HeaderValue =
  | {
      readonly kind: 'value';
      /** The first value, which chooses a cluster or a virtual host. */
      readonly first: string;
      /** The values that a matcher tries, of which one must match. */
      readonly values: readonly string[];
    }
  | { readonly kind: 'absent' }
  | { readonly kind: 'depends'; readonly reason: string };

/** The values that the caller sent, in order. `name`: in lower case. */
export function valuesSent({ headers }: Pick<ExplainRequest, 'headers'>, name: string): string[] {
  return headers.flatMap(([each, value]) => (each.toLowerCase() === name ? [value] : []));
}

export type FindHeader = (name: string) => HeaderValue;

const absent: HeaderValue = { kind: 'absent' };

/** Headers that the connection manager of Envoy sets or removes before a route is chosen. */
const setByEnvoy =
  /^(x-request-id|x-forwarded-for|x-forwarded-client-cert|x-envoy-(internal|external-address|downstream-.*|force-trace))$/;
/** Headers of one connection, which Envoy removes. */
const ofConnection = /^(connection|keep-alive|proxy-connection|transfer-encoding|upgrade)$/;

/** Returns the headers by which a client of the profile matches, by name in any case. */
export function headersOf(request: ExplainRequest, profile: Profile): FindHeader {
  const values = new Map<string, string[]>();
  for (const [name, value] of request.headers) {
    const key = name.toLowerCase();
    const known = values.get(key);
    if (known === undefined) values.set(key, [value]);
    else known.push(value);
  }
  const client = clientOf(profile);
  if (client !== 'envoy') return grpcHeaders(request, values, client);
  // Measured: Envoy 1.40.0 matches each value of a name, 1.36.2 all of them joined.
  return envoyHeaders(request, values, profile !== 'envoy-1.36');
}

function headerValue(values: readonly string[] | undefined, matchesEach: boolean): HeaderValue {
  const [first] = values ?? [];
  if (values === undefined || first === undefined) return absent;
  return { kind: 'value', first, values: matchesEach ? values : [values.join(',')] };
}

function envoyHeaders(
  request: ExplainRequest,
  values: ReadonlyMap<string, readonly string[]>,
  matchesEach: boolean,
): FindHeader {
  const { method, scheme, authority, path } = request;
  const own = new Map<string, string>([
    [':method', method],
    [':authority', authority],
    ['host', authority],
    [':path', path],
    [':scheme', scheme],
    // Measured: a value that is no scheme, as of two headers, stays.
    ['x-forwarded-proto', values.get('x-forwarded-proto')?.join(',') ?? scheme],
  ]);
  const te = values.get('te')?.join(',').split(',') ?? [];
  const hasTrailers = te.some((each) => each.trim().toLowerCase() === 'trailers');
  return (name) => {
    const key = name.toLowerCase();
    const value = own.get(key);
    if (setByEnvoy.test(key))
      return { kind: 'depends', reason: `Envoy itself sets or removes the header ${key}` };
    // Measured: other values than "trailers" are removed.
    if (key === 'te')
      return hasTrailers ? { kind: 'value', first: 'trailers', values: ['trailers'] } : absent;
    if (ofConnection.test(key)) return { kind: 'depends', reason: `${key} is a header of one connection` };
    return headerValue(value === undefined ? values.get(key) : [value], matchesEach);
  };
}

/**
 * gRPC hides binary metadata and the headers of its own from matchers. Measured with the newest versions: content-type is
 * application/grpc, and absent in gRPC-Go; C-core alone sees :path and grpc-timeout.
 */
function grpcHeaders(
  { path }: ExplainRequest,
  values: ReadonlyMap<string, readonly string[]>,
  client: Client,
): FindHeader {
  return (name) => {
    const key = name.toLowerCase();
    if (key === 'content-type') return client === 'go' ? absent : headerValue(['application/grpc'], false);
    if (client === 'core' && key === ':path') return headerValue([path], false);
    if (client === 'core' && key === 'grpc-timeout')
      return values.has(key)
        ? headerValue(values.get(key), false)
        : { kind: 'depends', reason: 'the deadline of the RPC sets the header grpc-timeout' };
    const isHidden =
      key.startsWith(':') || key.startsWith('grpc-') || key.endsWith('-bin') || /^(te|user-agent)$/.test(key);
    return isHidden ? absent : headerValue(values.get(key), false);
  };
}

/** The content type is application/grpc, or begins with application/grpc+. Two headers are one with both values. */
export function isGrpcRequest(find: FindHeader): boolean {
  const type = find('content-type');
  const path = find(':path');
  // Measured: a CONNECT request without a path is none.
  if (path.kind === 'value' && path.first === '') return false;
  return type.kind === 'value' && /^application\/grpc(\+.*)?$/s.test(type.values.join(','));
}

/** The path without query string and fragment, by which routes match. */
export function pathOf({ path }: Pick<ExplainRequest, 'path'>): string {
  return /^[^?#]*/.exec(path)?.[0] ?? '';
}

/** The parameters of the query string. They are not decoded, as in Envoy, and the first of several counts. */
export function queryOf({ path }: Pick<ExplainRequest, 'path'>): ReadonlyMap<string, string> {
  const text = /^[^?#]*\?([^#]*)/.exec(path)?.[1] ?? '';
  const found = new Map<string, string>();
  for (const each of text.split('&')) {
    const at = each.indexOf('=');
    const [name, value] = at < 0 ? [each, ''] : [each.slice(0, at), each.slice(at + 1)];
    if (!found.has(name)) found.set(name, value);
  }
  return found;
}

/** The first cookie of each name. */
export function cookiesOf(find: FindHeader): ReadonlyMap<string, string> {
  const header = find('cookie');
  const found = new Map<string, string>();
  if (header.kind !== 'value') return found;
  for (const each of header.values.join(';').split(';')) {
    const at = each.indexOf('=');
    const name = each.slice(0, at).trim();
    if (at > 0 && !found.has(name))
      found.set(
        name,
        each
          .slice(at + 1)
          .trim()
          .replace(/^"(.*)"$/, '$1'),
      );
  }
  return found;
}

/** The authority without its port, also if that is no number; an IPv6 address keeps its brackets. */
export function hostOf(authority: string): string {
  return authority.replace(/:[^:\]]*$/, '');
}

/** Returns the headers after a change of one of them. */
export function withHeader(find: FindHeader, name: string, value: HeaderValue): FindHeader {
  const key = name.toLowerCase() === 'host' ? ':authority' : name.toLowerCase();
  return (asked) => {
    const own = asked.toLowerCase() === 'host' ? ':authority' : asked.toLowerCase();
    return own === key ? value : find(asked);
  };
}
