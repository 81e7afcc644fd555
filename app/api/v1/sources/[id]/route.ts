import { getRuntime } from '@/server/index';
import { handle, handleJson, missing } from '../../_handle';

export const dynamic = 'force-dynamic';

type Params = { readonly id: string };

export const GET = handle<Params>(
  (_request, { id }) => getRuntime().api.findSource(id) ?? missing('Source', id),
);

export const PATCH = handleJson<Params>((json, { id }) => getRuntime().api.changeSource(id, json));

export const DELETE = handle<Params>(async (_request, { id }) => {
  await getRuntime().api.removeSource(id);
});
