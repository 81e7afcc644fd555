import { getRuntime } from '@/server/index';
import { handle } from '../_handle';

export const dynamic = 'force-dynamic';

export const GET = handle((request) =>
  getRuntime().api.getHistory(new URL(request.url).searchParams, request.signal),
);
