import type { ResourceKey } from '@/lib/observation/observation';
import type { GraphQuery, GraphResolve } from '@/server/api/api';
import { problemResponse } from './_handle';

/** limit, expand (repeatable), focus, find and what to resolve, as GET .../graph takes them. */
export function parseGraphQuery(request: Request): GraphQuery {
  const query = new URL(request.url).searchParams;
  const limit = Number(query.get('limit') ?? '');
  return {
    limit: Number.isInteger(limit) && limit > 0 ? Math.min(limit, 2000) : undefined,
    expand: query.getAll('expand').filter((id) => id !== ''),
    focus: query.get('focus') ?? undefined,
    find: query.get('find') ?? undefined,
    resolve: readResolve(query),
  };
}

/** "resolve" names a listener, "target" what a client dials. */
function readResolve(query: URLSearchParams): GraphResolve | undefined {
  const listener = query.get('resolve') ?? undefined;
  const target = query.get('target') ?? undefined;
  if (listener === undefined && target === undefined) return undefined;
  const profile = query.get('profile') ?? undefined;
  const errors = query.get('errors') ?? undefined;
  return { listener, target, profile, errors };
}

/** The query as an object; of a parameter that comes twice the last one counts. */
export function readQuery(request: Request): Record<string, string> {
  return Object.fromEntries(new URL(request.url).searchParams);
}

/** typeUrl and name. A name may be empty (a reporter may leave it out); a type may not. */
export function parseResourceKey(request: Request): ResourceKey | Response {
  const query = new URL(request.url).searchParams;
  const typeUrl = query.get('typeUrl');
  const name = query.get('name');
  if (typeUrl === null || typeUrl === '' || name === null) {
    return problemResponse(400, 'Bad request', 'expected the query parameters typeUrl and name');
  }
  return { typeUrl, name };
}

/** As GET .../resources takes it; type and status are repeatable. */
export function readResourcesQuery(request: Request): Record<string, string | string[]> {
  const query = new URL(request.url).searchParams;
  return { ...readQuery(request), type: query.getAll('type'), status: query.getAll('status') };
}

/** As GET fleet takes it; open is repeatable. */
export function readFleetQuery(request: Request): Record<string, string | string[]> {
  return { ...readQuery(request), open: new URL(request.url).searchParams.getAll('open') };
}
