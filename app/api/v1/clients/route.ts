import { getRuntime } from '@/server/index';
import { handle } from '../_handle';
import { streamItems } from '../_list-stream';

export const dynamic = 'force-dynamic';

export const GET = handle(async () => streamItems(await getRuntime().api.listClients()));
