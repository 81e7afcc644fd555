import type { ResourceKey } from '@/lib/observation/observation';
import { problemResponse } from './_handle';

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
