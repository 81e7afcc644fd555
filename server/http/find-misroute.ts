import { matchPath } from './match-path';
import { parseRequestPath } from './request-path';

interface Misroute {
  readonly status: 400 | 404 | 405;
  readonly title: string;
  readonly detail: string;
  /** RFC 9110 15.5.6: a 405 lists the allowed methods. */
  readonly allow?: string;
}

/** `path` is relative to /api/v1, with `{name}` for one segment. */
interface Route {
  readonly method: string;
  readonly path: string;
}

interface FindMisrouteOptions {
  readonly operations: readonly Route[];
  /** The development tools of Next send POST requests from the browser. */
  readonly dev: boolean;
}

const base = '/api/v1';
const readMethods = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Runs before Next, which answers such requests with empty bodies, HTML or 500. Below /api only operations of the
 * OpenAPI document pass, and below /_next only files; pages can only be read, so that no POST calls a server action.
 */
export function findMisroute(
  { method = 'GET', url = '/' }: { readonly method?: string; readonly url?: string },
  { operations, dev }: FindMisrouteOptions,
): Misroute | undefined {
  const path = parseRequestPath(url);
  if (path === undefined) {
    return {
      status: 400,
      title: 'Bad request',
      detail: 'path: expected percent-encoded UTF-8, got an escape that is none',
    };
  }
  if (isNextInternal(path, dev)) {
    return {
      status: 404,
      title: 'Not found',
      detail: `${method} ${path}: expected the path of a page or file`,
    };
  }
  if (path !== '/api' && !path.startsWith('/api/')) {
    if (dev || readMethods.includes(method)) return undefined;
    return wrongMethod(method, path, readMethods);
  }
  const found = operations.filter((operation) => matchesRoute(path, operation.path));
  if (found.length === 0) {
    return {
      status: 404,
      title: 'No such operation',
      detail: `${method} ${path} is not in ${base}/openapi.json`,
    };
  }
  const allowed = listMethods(path, found);
  return allowed.includes(method) ? undefined : wrongMethod(method, path, allowed);
}

/**
 * Next serves more than files below /_next. Its image optimizer (/_next/image) requests any path of this server inside
 * the process.
 */
function isNextInternal(path: string, dev: boolean): boolean {
  const [first, second] = decodeURIComponent(path)
    .split('/')
    .filter((segment) => segment !== '');
  if (first !== '_next') return false;
  return dev ? second === 'image' : second !== 'static';
}

export function listMethods(path: string, operations: readonly Route[]): string[] {
  const found = operations.filter((operation) => matchesRoute(path, operation.path));
  const methods = found.map((operation) => operation.method.toUpperCase());
  return [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'];
}

function wrongMethod(method: string, path: string, allowed: readonly string[]): Misroute {
  const allow = allowed.join(', ');
  return {
    status: 405,
    title: 'Method not allowed',
    detail: `${path}: expected ${allow}, got ${method}`,
    allow,
  };
}

/** Returns whether a path is that of an operation. `route` is relative to /api/v1, with `{name}` for one segment. */
export function matchesRoute(path: string, route: string): boolean {
  // Next redirects a path with a slash at its end, or two in a row, to the path without it.
  const segments = path.split('/').filter((segment) => segment !== '');
  return matchPath([`${base}${route}`.slice(1)], segments) !== undefined;
}
