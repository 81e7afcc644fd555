import { getRuntime } from '@/server/index';
import { handle } from '../_handle';

export const dynamic = 'force-dynamic';

export const GET = handle((request) => {
  const query = new URL(request.url).searchParams;
  const limit = Math.min(500, Math.max(1, Number(query.get('limit') ?? 100) || 100));
  return { items: getRuntime().api.listEvents({ limit, clientId: query.get('clientId') ?? undefined }) };
});
