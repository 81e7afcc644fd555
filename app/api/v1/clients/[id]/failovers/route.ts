import { getRuntime } from '@/server/index';
import { handle, missing } from '../../../_handle';
import { readQuery } from '../../../_query';

export const dynamic = 'force-dynamic';

type Params = { readonly id: string };

export const GET = handle<Params>(
  async (request, { id }) =>
    (await getRuntime().api.getFailovers(id, readQuery(request), request.signal)) ?? missing('Client', id),
);
