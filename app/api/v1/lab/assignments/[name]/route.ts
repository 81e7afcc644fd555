import { getRuntime } from '@/server/index';
import { handleJson } from '../../../_handle';

export const dynamic = 'force-dynamic';

type Params = { readonly name: string };

export const POST = handleJson<Params>((json, { name }) => getRuntime().api.setLabAssignment(name, json));
