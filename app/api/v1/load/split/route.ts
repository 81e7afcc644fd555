import { getRuntime } from '@/server/index';
import { handle } from '../../_handle';
import { readQuery } from '../../_query';

export const dynamic = 'force-dynamic';

export const GET = handle((request) => getRuntime().api.getLoadSplit(readQuery(request), request.signal));
