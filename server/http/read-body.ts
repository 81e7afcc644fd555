import { messageOf } from '@/lib/format/message-of';
import type { Command, RawBody } from '@/lib/questions/command';
import { ApiError, badRequest } from '../api-error';
import { assertJsonNesting, NestingError } from '../codec/document-nesting';

/** The limit of a command that has none of its own. */
const defaultMaxBytes = 256 * 1024;

/** Reads the body of a command: parsed JSON, bytes, or nothing. Throws ApiError 415, 413, or 400 for invalid JSON. */
export async function readBody(
  request: Request,
  { mediaTypes, body, maxBytes = defaultMaxBytes }: Pick<Command, 'mediaTypes' | 'body' | 'maxBytes'>,
): Promise<unknown> {
  if (mediaTypes === undefined) return body && readJson(request, maxBytes);
  const contentType = request.headers.get('content-type') ?? '';
  assertMediaType(contentType, mediaTypes);
  return { bytes: await readBytes(request, maxBytes), contentType } satisfies RawBody;
}

/** Only application/json is accepted, because a form of another site cannot send it. */
async function readJson(request: Request, maxBytes: number): Promise<unknown> {
  assertMediaType(request.headers.get('content-type') ?? '', ['application/json']);
  const text = (await readBytes(request, maxBytes)).toString('utf8');
  try {
    assertJsonNesting(text);
    return JSON.parse(text);
  } catch (cause) {
    if (cause instanceof NestingError) throw badRequest(`body: ${cause.message}`);
    throw badRequest(`body: expected JSON (${messageOf(cause)})`);
  }
}

/** Throws ApiError 415 unless a Content-Type header names one of the types. */
export function assertMediaType(contentType: string, types: readonly string[]): void {
  const [named = ''] = contentType.toLowerCase().split(';');
  if (types.includes(named.trim())) return;
  const expected = [types.slice(0, -1).join(', '), ...types.slice(-1)].filter((part) => part !== '');
  const detail = `expected ${expected.join(' or ')}, got ${JSON.stringify(contentType)}`;
  throw new ApiError(415, 'Unsupported media type', detail);
}

/** A chunked body does not state its length, so it is counted as it is received. */
async function readBytes(request: Request, maxBytes: number): Promise<Buffer> {
  const tooLarge = (got: string): ApiError =>
    new ApiError(413, 'Body too large', `expected at most ${maxBytes} bytes, got ${got}`);
  const announced = Number(request.headers.get('content-length') ?? 0);
  if (announced > maxBytes) throw tooLarge(String(announced));
  if (request.body === null) return Buffer.alloc(0);
  const reader = request.body.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return Buffer.concat(chunks);
    length += value.byteLength;
    if (length > maxBytes) {
      await reader.cancel();
      throw tooLarge(`${length} and more`);
    }
    chunks.push(value);
  }
}
