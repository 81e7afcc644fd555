import { getRuntime } from '@/server/index';
import { handle } from '../../_handle';
import { readQuery } from '../../_query';
import { answerLoad } from '../_answer';

export const dynamic = 'force-dynamic';

export const GET = handle(async (request) =>
  answerLoad(await getRuntime().api.getLoadSeries(readQuery(request), request.signal), 'load-series.csv'),
);
