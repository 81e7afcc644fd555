import { getRuntime } from '@/server/index';
import { handle, missing } from '../../../_handle';
import { parseResourceKey, readQuery } from '../../../_query';

export const dynamic = 'force-dynamic';

type Params = { readonly id: string };

export const GET = handle<Params>(async (request, { id }) => {
  const key = parseResourceKey(request);
  if (key instanceof Response) return key;
  return (await getRuntime().api.getLinks(id, key, readQuery(request).at)) ?? missing('Client', id);
});
