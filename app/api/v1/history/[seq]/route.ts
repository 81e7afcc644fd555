import { getRuntime } from '@/server/index';
import { handle, missing } from '../../_handle';
import { readQuery } from '../../_query';

export const dynamic = 'force-dynamic';

type Params = { readonly seq: string };

export const GET = handle<Params>(
  async (request, { seq }) =>
    (await getRuntime().api.getHistoryEvent(seq, readQuery(request))) ?? missing('Event', seq),
);
