import { getRuntime } from '@/server/index';
import { handle, problemResponse } from '../_handle';
import { readQuery } from '../_query';

export const dynamic = 'force-dynamic';

export const GET = handle(async (request) => {
  const found = await getRuntime().api.findConvergence(readQuery(request), request.signal);
  return (
    found ??
    problemResponse(404, 'Nothing seen', 'nothing that is recorded tells of such a version or resource')
  );
});
