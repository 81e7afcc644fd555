import { getRuntime } from '@/server/index';
import { handle, missing } from '../../_handle';
import { parseGraphQuery } from '../../_query';

export const dynamic = 'force-dynamic';

type Params = { readonly id: string };

export const GET = handle<Params>(async (request, { id }) => {
  const asked = [...new URL(request.url).searchParams].length > 0 ? parseGraphQuery(request) : undefined;
  return (await getRuntime().api.getPermalink(id, asked)) ?? missing('Permalink', id);
});
