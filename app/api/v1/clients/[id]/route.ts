import { getRuntime } from '@/server/index';
import { handle, missing } from '../../_handle';

export const dynamic = 'force-dynamic';

type Params = { readonly id: string };

export const GET = handle<Params>(
  (_request, { id }) => getRuntime().api.findClient(id) ?? missing('Client', id),
);
