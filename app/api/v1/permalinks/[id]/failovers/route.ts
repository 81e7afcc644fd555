import { getRuntime } from '@/server/index';
import { handle, missing } from '../../../_handle';

export const dynamic = 'force-dynamic';

type Params = { readonly id: string };

export const GET = handle<Params>(
  async (_request, { id }) => (await getRuntime().api.getPermalinkFailovers(id)) ?? missing('Permalink', id),
);
