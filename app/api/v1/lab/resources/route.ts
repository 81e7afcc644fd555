import { getRuntime } from '@/server/index';
import { handle, handleJson } from '../../_handle';
import { parseResourceKey } from '../../_query';

export const dynamic = 'force-dynamic';

export const GET = handle(() => ({ items: getRuntime().api.labResources() }));

/** As large as an xDS resource may be. */
const maxBytes = 16 * 1024 * 1024;

export const PUT = handleJson((json) => ({ items: getRuntime().api.setLabResource(json) }), { maxBytes });

export const DELETE = handle((request) => {
  const key = parseResourceKey(request);
  return key instanceof Response ? key : { items: getRuntime().api.removeLabResource(key) };
});
