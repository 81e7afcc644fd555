import { getRuntime } from '@/server/index';
import { handle, handleJson } from '../_handle';

export const dynamic = 'force-dynamic';

export const GET = handle(async () => ({ items: await getRuntime().api.listPins() }));

export const POST = handleJson((json) => getRuntime().api.addPin(json), { status: 201 });
