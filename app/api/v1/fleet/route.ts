import { getRuntime } from '@/server/index';
import { handle } from '../_handle';
import { readFleetQuery } from '../_query';

export const dynamic = 'force-dynamic';

export const GET = handle((request) => getRuntime().api.getFleet(readFleetQuery(request)));
