import { largestDescriptorSetBytes } from '@/lib/api/descriptor-sets';
import { getRuntime } from '@/server/index';
import { handle, problemResponse, readBytes } from '../_handle';

export const dynamic = 'force-dynamic';

export const GET = handle(() => ({ items: getRuntime().api.listDescriptorSets() }));

export const POST = handle(async (request) => {
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/(?:octet-stream|x-protobuf|protobuf)\b/i.test(type)) {
    const detail = `expected application/octet-stream, got ${JSON.stringify(type)}`;
    return problemResponse(415, 'Unsupported media type', detail);
  }
  const bytes = await readBytes(request, largestDescriptorSetBytes);
  if (bytes instanceof Response) return bytes;
  const name = new URL(request.url).searchParams.get('name') ?? '';
  return getRuntime().api.addDescriptorSet(name, bytes);
}, 201);
