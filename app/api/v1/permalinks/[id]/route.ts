import { getRuntime } from '@/server/index';
import { handle, missing } from '../../_handle';

export const dynamic = 'force-dynamic';

export const GET = handle<{ readonly id: string }>(
  async (_request, { id }) => (await getRuntime().api.getPermalink(id)) ?? missing('Permalink', id),
);
