import type { FieldReader } from '../model/field-reader';
import { type ExplainRequest, hostOf, valuesSent } from '../requests/request';
import { findNamedByConnection } from './connection-header';

/** The request as the connection manager passes it on, and what was changed, one sentence part each. */
type Normalised =
  | { readonly kind: 'request'; readonly request: ExplainRequest; readonly changes: readonly string[] }
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly text: string;
      readonly path: string;
      readonly location?: string;
    };

/** What the connection manager of Envoy changes before a route is chosen. */
export function normaliseRequest(
  manager: FieldReader,
  request: ExplainRequest,
  listenerPort: number | undefined,
  isGrpc: boolean,
): Normalised {
  const changes: string[] = [];
  const scheme = forwardedScheme(manager, request);
  const overwritten = manager.object('schemeHeaderTransformation')?.string('schemeToOverwrite') ?? '';
  const isOverwritten = overwritten === 'http' || overwritten === 'https';
  if (isOverwritten) changes.push(`the scheme is ${overwritten} (scheme_header_transformation)`);
  else if (scheme !== request.scheme) changes.push(`the scheme is ${scheme}, by x-forwarded-proto`);
  let { authority } = request;
  const port = /:(\d+)$/.exec(authority)?.[1];
  const isOwnPort = port !== undefined && Number(port) === listenerPort;
  const strips =
    manager.boolean('stripAnyHostPort') || (manager.boolean('stripMatchingHostPort') && isOwnPort);
  if (port !== undefined && strips) {
    authority = hostOf(authority);
    changes.push(`the port ${port} is removed from the host`);
  }
  if (manager.boolean('stripTrailingHostDot') && /\.(:\d+)?$/.test(authority)) {
    authority = authority.replace(/\.(:\d+)?$/, '$1');
    changes.push('the last dot is removed from the host');
  }
  if (request.path.includes('#'))
    return {
      ...{ kind: 'answered', status: 400, path: '' },
      text: 'a path with a fragment (#) is rejected with 400',
    };
  if (request.method !== 'CONNECT' && !request.path.startsWith('/'))
    return {
      ...{ kind: 'answered', status: 404, path: '' },
      text: 'the path * is rejected with 404',
    };
  const at = request.path.indexOf('?');
  let path = at < 0 ? request.path : request.path.slice(0, at);
  const query = at < 0 ? '' : request.path.slice(at);
  const escaped = /%2f|%5c/i;
  const action = manager.enumName('pathWithEscapedSlashesAction', 'IMPLEMENTATION_SPECIFIC_DEFAULT');
  let redirects = false;
  if (escaped.test(path)) {
    // "gRPC clients do not support redirects": their requests are rejected.
    if (action === 'REJECT_REQUEST' || (action === 'UNESCAPE_AND_REDIRECT' && isGrpc))
      return {
        ...{ kind: 'answered', status: 400, path: 'pathWithEscapedSlashesAction' },
        text: 'a path with escaped slashes is rejected with 400',
      };
    if (action === 'UNESCAPE_AND_REDIRECT' || action === 'UNESCAPE_AND_FORWARD') {
      path = path.replace(/%2f/gi, '/').replace(/%5c/gi, '\\');
      changes.push('escaped slashes are unescaped');
      redirects = action === 'UNESCAPE_AND_REDIRECT';
    }
  }
  if (manager.boolean('normalizePath') && path.startsWith('/')) {
    if (path.includes('%00'))
      return {
        ...{ kind: 'answered', status: 400, path: 'normalizePath' },
        text: 'a path with %00 cannot be normalised, and is rejected with 400',
      };
    const normal = removeDotSegments(path);
    if (normal !== path) changes.push(`the path is normalised to ${normal} (normalize_path)`);
    path = normal;
  }
  if (manager.boolean('mergeSlashes') && path.includes('//')) {
    path = mergeSlashes(path);
    changes.push(`adjacent slashes are merged to ${path} (merge_slashes)`);
  }
  if (redirects)
    return {
      ...{ kind: 'answered', status: 307, path: 'pathWithEscapedSlashesAction', location: path + query },
      text: `a path with escaped slashes is redirected to ${path + query}`,
    };
  const headers = keptHeaders(manager, request, changes);
  const connection = { isTls: request.scheme === 'https', ...request.connection };
  return {
    ...{ kind: 'request', changes },
    request: {
      ...request,
      // Measured: the scheme that takes the place of another one is that of x-forwarded-proto, too.
      headers: isOverwritten ? headers.filter(([name]) => !isForwardedProto(name)) : headers,
      scheme: isOverwritten ? overwritten : scheme,
      authority,
      path: path + query,
      connection,
    },
  };
}

/** use_remote_address, without trusted hops: the connection decides, and the header of the caller is replaced. */
function forwardedScheme(manager: FieldReader, request: ExplainRequest): ExplainRequest['scheme'] {
  const stated = valuesSent(request, 'x-forwarded-proto').join(',').toLowerCase();
  return isEdge(manager) || (stated !== 'http' && stated !== 'https') ? request.scheme : stated;
}

function isForwardedProto(name: string): boolean {
  return name.toLowerCase() === 'x-forwarded-proto';
}

function isEdge(manager: FieldReader): boolean {
  return manager.boolean('useRemoteAddress') && (manager.number('xffNumTrustedHops') ?? 0) === 0;
}

/** Adds to the changes what `connection` removes. */
function keptHeaders(
  manager: FieldReader,
  request: ExplainRequest,
  changes: string[],
): ExplainRequest['headers'] {
  const { headers } = request;
  const named = findNamedByConnection(request);
  const isNamed = (name: string): boolean => named.kind === 'removed' && named.names.has(name.toLowerCase());
  for (const [name] of headers)
    if (isNamed(name)) changes.push(`the header ${name} is removed, because the header connection names it`);
  const options = manager.object('commonHttpProtocolOptions');
  const dropsUnderscores = options?.enumName('headersWithUnderscoresAction', 'ALLOW') === 'DROP_HEADER';
  const ofEdge = isEdge(manager);
  return headers.filter(
    ([name]) =>
      !isNamed(name) && !(ofEdge && isForwardedProto(name)) && !(dropsUnderscores && name.includes('_')),
  );
}

/** As Envoy does it: a path of slashes alone keeps two. */
function mergeSlashes(path: string): string {
  const parts = path.split('/').filter((part) => part !== '');
  return `${path.startsWith('/') ? '/' : ''}${parts.join('/')}${path.endsWith('/') ? '/' : ''}`;
}

const unreserved = /%(?:2[de]|3\d|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9ae])/gi;

/**
 * RFC 3986: unreserved characters are unescaped, those that no path may have are escaped, and dot segments removed; a backslash
 * counts as a slash.
 */
function removeDotSegments(path: string): string {
  const text = path
    .replace(unreserved, (code) => {
      const char = String.fromCharCode(Number.parseInt(code.slice(1), 16));
      return /[A-Za-z0-9\-._~]/.test(char) ? char : code;
    })
    .replace(/["<>^`{|}]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('\\', '/');
  const out: string[] = [];
  const parts = text.split('/').slice(1);
  for (const [index, part] of parts.entries()) {
    const isLast = index === parts.length - 1;
    if (part === '..') out.pop();
    else if (part !== '.') out.push(part);
    if (isLast && (part === '..' || part === '.')) out.push('');
  }
  return `/${out.join('/')}`;
}
