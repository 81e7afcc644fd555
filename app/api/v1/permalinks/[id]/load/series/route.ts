import { getRuntime } from '@/server/index';
import { handle, missing } from '../../../../_handle';
import { readQuery } from '../../../../_query';
import { answerLoad } from '../../../../load/_answer';

export const dynamic = 'force-dynamic';

type Params = { readonly id: string };

export const GET = handle<Params>(async (request, { id }) => {
  const answered = await getRuntime().api.getPermalinkLoadSeries(id, readQuery(request));
  return answered === undefined
    ? missing('Permalink with load', id)
    : answerLoad(answered, 'load-series.csv');
});
