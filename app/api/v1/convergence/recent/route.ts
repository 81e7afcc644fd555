import { getRuntime } from '@/server/index';
import { handle } from '../../_handle';
import { readQuery } from '../../_query';

export const dynamic = 'force-dynamic';

export const GET = handle((request) =>
  getRuntime().api.listRecentConvergence(readQuery(request), request.signal),
);
