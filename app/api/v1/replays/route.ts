import { getRuntime } from '@/server/index';
import { handle, handleJson } from '../_handle';

export const dynamic = 'force-dynamic';

export const GET = handle(() => ({ items: getRuntime().api.listReplays() }));
export const POST = handleJson((json) => getRuntime().api.startReplay(json), { status: 201 });
