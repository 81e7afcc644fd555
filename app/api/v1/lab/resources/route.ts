import { getRuntime } from '@/server/index';
import { handle, handleJson } from '../../_handle';
import { parseResourceKey } from '../../_query';

export const dynamic = 'force-dynamic';

export const GET = handle(() => ({ items: getRuntime().api.labResources() }));

export const PUT = handleJson((json) => ({ items: getRuntime().api.setLabResource(json) }));

export const DELETE = handle((request) => {
  const key = parseResourceKey(request);
  return key instanceof Response ? key : { items: getRuntime().api.removeLabResource(key) };
});
