import { getRuntime } from '@/server/index';
import { handle, missing, problemResponse } from '../../_handle';

export const dynamic = 'force-dynamic';

type Params = { readonly hash: string };

/** A hash names its bytes for ever; the text of them depends on the types that are known. */
const forEver = { 'cache-control': 'private, max-age=31536000, immutable' };

export const GET = handle<Params>(async (request, { hash }) => {
  const query = new URL(request.url).searchParams;
  const format = query.get('format') ?? 'json';
  const typeUrl = query.get('typeUrl') ?? undefined;
  if (!/^[0-9a-f]{64}$/.test(hash)) {
    return problemResponse(400, 'Bad request', `hash: expected 64 hex digits, got ${JSON.stringify(hash)}`);
  }
  if (format === 'binary') {
    const bytes = await getRuntime().api.getResourceBytes(hash, typeUrl);
    if (bytes === undefined) return missing('Resource', hash);
    return new Response(new Uint8Array(bytes), {
      headers: { ...forEver, 'content-type': 'application/x-protobuf' },
    });
  }
  if (format !== 'json' && format !== 'yaml') {
    return problemResponse(
      400,
      'Bad request',
      `format: expected json, yaml or binary, got ${JSON.stringify(format)}`,
    );
  }
  const body = await getRuntime().api.getResourceBody(hash, format, typeUrl);
  if (body === undefined) return missing('Resource', hash);
  if (query.get('meta') === '1') return Response.json(body, { headers: { 'cache-control': 'no-store' } });
  const mediaType = format === 'json' ? 'application/json' : 'application/yaml';
  const headers = { 'cache-control': 'no-cache', 'content-type': `${mediaType}; charset=utf-8` };
  return new Response(body.text, { headers });
});
