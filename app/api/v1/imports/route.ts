import { getRuntime } from '@/server/index';
import { handle, problemResponse } from '../_handle';

export const dynamic = 'force-dynamic';

/** What a file is tells its content; these are types that no form of another site can send. */
const takenTypes = /^application\/(?:octet-stream|json|(?:x-)?yaml|(?:x-)?protobuf|(?:x-)?gzip|zstd)\b/i;

export const GET = handle(() => ({ items: getRuntime().api.listImports() }));

export const POST = handle(async (request) => {
  const type = request.headers.get('content-type') ?? '';
  if (!takenTypes.test(type)) {
    const detail = `expected application/octet-stream, json, yaml, protobuf, gzip or zstd, got ${JSON.stringify(type)}`;
    return problemResponse(415, 'Unsupported media type', detail);
  }
  const name = new URL(request.url).searchParams.get('name') ?? '';
  const announced = Number(request.headers.get('content-length') ?? Number.NaN);
  return getRuntime().api.addImport(name, chunksOf(request.body), announced > 0 ? announced : null);
}, 201);

async function* chunksOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader();
  if (reader === undefined) return;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel();
  }
}
