import { getRuntime } from '@/server/index';
import { handle } from '../../_handle';

export const dynamic = 'force-dynamic';

export const DELETE = handle<{ readonly id: string }>((_, { id }) => getRuntime().api.cancelImport(id));
