import type { ProcessQuestions } from '@/lib/questions/process-questions';
import type { QueryOf } from '@/lib/questions/question';
import { badRequest, notFound } from '../api-error';
import type { Codec } from '../codec/codec';
import type { Recorder } from '../recorder/recorder';

export interface ResourceAnswerParts {
  readonly recorder: Pick<Recorder, 'readBody'>;
  readonly codec: Pick<Codec, 'render'>;
}

/** A hash names the same bytes for ever; their text depends on the types that are known. */
const binaryHeaders = {
  'cache-control': 'private, max-age=31536000, immutable',
  'content-type': 'application/x-protobuf',
};

/** The body of a resource in the format of the query, however long its texts are. */
export async function answerResource(
  { recorder, codec }: ResourceAnswerParts,
  hash: string,
  { format, typeUrl, meta }: QueryOf<ProcessQuestions['resources/{hash}']>,
  signal?: AbortSignal,
): Promise<Response> {
  if (!/^[0-9a-f]{64}$/.test(hash)) {
    throw badRequest(`hash: expected 64 hex digits, got ${JSON.stringify(hash)}`, 'hash');
  }
  const body = await recorder.readBody(hash, typeUrl);
  if (body === undefined) throw notFound('Resource', `no resource has the id ${JSON.stringify(hash)}`);
  if (format === 'binary') return new Response(new Uint8Array(body.bytes), { headers: binaryHeaders });
  const rendered = await codec.render(body, format, signal);
  if (meta === '1') {
    const answer = { hash: body.hash, typeUrl: body.typeUrl, sizeBytes: body.bytes.byteLength, ...rendered };
    return Response.json(answer, { headers: { 'cache-control': 'no-store' } });
  }
  const mediaType = format === 'json' ? 'application/json' : 'application/yaml';
  const headers = { 'cache-control': 'no-cache', 'content-type': `${mediaType}; charset=utf-8` };
  return new Response(rendered.text, { headers });
}
