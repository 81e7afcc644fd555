import { getRuntime } from '@/server/index';
import { handle } from '../_handle';

export const dynamic = 'force-dynamic';

/** POST is answered before Next: server/http/receive-import.ts. */
export const GET = handle(() => ({ items: getRuntime().api.listImports() }));
