import { getRuntime } from '@/server/index';
import { handle } from '../_handle';

export const dynamic = 'force-dynamic';

export const GET = handle(() => ({ items: getRuntime().api.listCredentials() }));
