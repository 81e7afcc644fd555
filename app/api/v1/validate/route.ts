import { getRuntime } from '@/server/index';
import { handle, problemResponse, readBytes } from '../_handle';

export const dynamic = 'force-dynamic';

/** Dumps of large meshes. */
const maxBytes = 64 * 1024 * 1024;

const accepted = /^(?:application\/(?:json|yaml|x-yaml)|text\/(?:plain|yaml))\b/i;

export const POST = handle(async (request) => {
  const contentType = request.headers.get('content-type') ?? '';
  if (!accepted.test(contentType)) {
    return problemResponse(
      415,
      'Unsupported media type',
      `expected application/json, application/yaml or text/plain, got ${JSON.stringify(contentType)}`,
    );
  }
  const bytes = await readBytes(request, maxBytes);
  if (bytes instanceof Response) return bytes;
  const query = new URL(request.url).searchParams;
  const profile = query.get('profile') ?? 'core';
  const typeUrl = query.get('typeUrl') ?? undefined;
  return getRuntime().api.validate({ bytes, contentType, profile, typeUrl });
});
