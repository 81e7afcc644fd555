import { problemResponse } from '../_handle';

/** Everything below /api/v1 that is no operation. */
function refuse(request: Request): Response {
  const path = new URL(request.url).pathname;
  return problemResponse(
    404,
    'No such operation',
    `${request.method} ${path} is not in /api/v1/openapi.json`,
  );
}

export { refuse as DELETE, refuse as GET, refuse as PATCH, refuse as POST, refuse as PUT };
