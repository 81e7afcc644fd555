import { getRuntime } from '@/server/index';
import { handleJson } from '../../_handle';

export const dynamic = 'force-dynamic';

export const POST = handleJson((json) => getRuntime().api.setLabReporter(json));
