import { getRuntime } from '@/server/index';
import { answerConditionally } from '../../../_conditional';
import { handle, missing } from '../../../_handle';
import { readResourcesQuery } from '../../../_query';

export const dynamic = 'force-dynamic';

type Params = { readonly id: string };

export const GET = handle<Params>(async (request, { id }) => {
  const { api } = getRuntime();
  const query = readResourcesQuery(request);
  if (query.at !== undefined) return (await api.listResources(id, query)) ?? missing('Client', id);
  // Before the rows: should they change meanwhile, the next question gets the new ones.
  const tag = api.findResourcesTag(id);
  if (tag === undefined) return missing('Client', id);
  const answer = await answerConditionally(request, tag, () => api.listResources(id, query));
  return answer ?? missing('Client', id);
});
