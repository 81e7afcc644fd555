import { getRuntime } from '@/server/index';
import { handle } from '../../_handle';

export const dynamic = 'force-dynamic';

export const GET = handle((request) =>
  getRuntime().api.estimateExport(Object.fromEntries(new URL(request.url).searchParams)),
);
