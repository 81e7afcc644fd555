import { decodeBody } from '@/server/codec/decode-body';

/** Every text of a resource, as a page shows it; texts of bytes too. */
export function* readCorpusTexts({
  typeUrl,
  bytes,
}: {
  readonly typeUrl: string;
  readonly bytes: Uint8Array;
}): Generator<string> {
  yield* textsOf(decodeBody(typeUrl, bytes).json);
}

function* textsOf(json: unknown): Generator<string> {
  if (typeof json === 'string') {
    yield json;
    if (/^[A-Za-z0-9+/]{16,}={0,2}$/.test(json)) yield Buffer.from(json, 'base64').toString('latin1');
  } else if (typeof json === 'object' && json !== null) {
    for (const value of Object.values(json)) yield* textsOf(value);
  }
}
