import { getRuntime } from '@/server/index';
import { handle, missing } from '../../../_handle';
import { parseGraphQuery, readQuery } from '../../../_query';

export const dynamic = 'force-dynamic';

type Params = { readonly id: string };

export const GET = handle<Params>(async (request, { id }) => {
  const graph = await getRuntime().api.getGraph(id, {
    ...parseGraphQuery(request),
    at: readQuery(request).at,
  });
  return graph ?? missing('Client', id);
});
