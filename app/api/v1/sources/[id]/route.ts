import { getRuntime } from '@/server/index';
import { handle, handleJson, missing } from '../../_handle';

export const dynamic = 'force-dynamic';

type Params = { readonly id: string };

export const GET = handle<Params>((_request, { id }) => {
  return (
    getRuntime()
      .api.listSources()
      .find((source) => source.id === id) ?? missing('Source', id)
  );
});

export const PATCH = handleJson<Params>((json, { id }) => getRuntime().api.changeSource(id, json));

export const DELETE = handle<Params>(async (_request, { id }) => {
  await getRuntime().api.removeSource(id);
});
