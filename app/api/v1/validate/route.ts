import { getRuntime } from '@/server/index';
import { handle, readJson } from '../_handle';

export const dynamic = 'force-dynamic';

/** As large as an xDS resource may be, in base64. */
const maxBytes = 24 * 1024 * 1024;

export const POST = handle(async (request) => {
  const body = await readJson(request, maxBytes);
  if (body instanceof Response) return body;
  const profile = new URL(request.url).searchParams.get('profile') ?? 'core';
  return getRuntime().api.validate(profile, body.json);
});
