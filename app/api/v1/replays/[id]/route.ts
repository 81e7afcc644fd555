import { getRuntime } from '@/server/index';
import { handle, handleJson } from '../../_handle';

export const dynamic = 'force-dynamic';

type Params = { readonly id: string };

export const PATCH = handleJson<Params>((json, { id }) => getRuntime().api.changeReplay(id, json));
export const DELETE = handle<Params>((_, { id }) => getRuntime().api.removeReplay(id));
