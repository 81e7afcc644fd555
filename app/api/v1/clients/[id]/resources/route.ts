import { getRuntime } from '@/server/index';
import { handle, missing } from '../../../_handle';

export const dynamic = 'force-dynamic';

type Params = { readonly id: string };

export const GET = handle<Params>((_request, { id }) => {
  const items = getRuntime().api.listResources(id);
  return items === undefined ? missing('Client', id) : { items };
});
