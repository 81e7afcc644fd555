import type { IncomingMessage, ServerResponse } from 'node:http';
import { importMediaTypes } from '@/lib/views/recording/import-schema';
import { importFile } from '@/lib/views/sources/questions';
import type { Source } from '@/lib/views/sources/schema';
import { parseInput } from '../answers/parse-input';
import { ApiError, badRequest } from '../api-error';
import type { UploadFacts } from '../files/import/imports';
import { log } from '../logger';
import { RecorderError } from '../store/recorder/recorder';
import { rejectRequest } from './problem-json';
import { assertMediaType } from './read-body';
import { parseRequestPath } from './request-path';

export type AddImport = (
  name: string,
  chunks: AsyncIterable<Uint8Array>,
  sizeBytes: number | null,
  /** Aborts when the client closes the connection before the answer. */
  left: AbortSignal,
  facts: UploadFacts,
) => Promise<Source>;

export function isImport(request: Pick<IncomingMessage, 'method' | 'url'>): boolean {
  if (request.method !== 'POST') return false;
  return /^\/+api\/+v1\/+imports\/*$/.test(parseRequestPath(request.url ?? '/') ?? '');
}

/**
 * Receives a file without Next, whose body streams make an import of 200 MB take twice as long. Never rejects; the rest
 * of a rejected body is read and discarded.
 */
export async function receiveImport(
  request: IncomingMessage,
  response: ServerResponse,
  addImport: AddImport,
): Promise<void> {
  const query = new URLSearchParams(request.url?.split('?')[1]);
  const name = query.get('name') ?? '';
  const announced = Number(request.headers['content-length'] ?? Number.NaN);
  const left = new AbortController();
  response.once('close', () => {
    if (!response.writableEnded) left.abort();
  });
  try {
    assertMediaType(request.headers['content-type'] ?? '', importMediaTypes);
    const chunks = request.iterator({ destroyOnReturn: false });
    const source = await addImport(
      name,
      chunks,
      announced > 0 ? announced : null,
      left.signal,
      factsOf(query),
    );
    response.writeHead(201, { 'content-type': 'application/json', 'cache-control': 'no-store' });
    response.end(JSON.stringify(source));
  } catch (error) {
    if (error instanceof ApiError) rejectRequest(request, response, error);
    else if (error instanceof RecorderError) {
      const { message: detail } = error;
      rejectRequest(request, response, { status: 503, title: 'Recording not available', detail });
    } else {
      log('error', 'http', `POST /api/v1/imports: ${String(error)}`);
      const detail = 'xdscope failed to answer; its log states the reason';
      rejectRequest(request, response, { status: 500, title: 'Internal error', detail });
    }
  }
}

const modifiedQuery = importFile.query.pick({ modified: true });

function factsOf(query: URLSearchParams): UploadFacts {
  const isAgain = query.get('again') === 'true';
  const parts = partsOf(query.getAll('part'));
  const { modified } = parseInput(modifiedQuery, { modified: query.get('modified') ?? undefined });
  return { isAgain, ...(modified !== undefined && { modifiedAt: modified }), parts };
}

const mostParts = 20;
const longestName = 200;

/** As in "config_dump.json:4096". The names are those of files in one folder. */
function partsOf(texts: readonly string[]): UploadFacts['parts'] {
  if (texts.length === 0) return undefined;
  if (texts.length > mostParts)
    throw badRequest(`part: expected at most ${mostParts} files, got ${texts.length}`, 'part');
  const parts = texts.map((text) => {
    const [, name = '', size = ''] = /^([^/\\\0]+):(\d{1,12})$/.exec(text) ?? [];
    const isName = name !== '.' && name !== '..' && name !== '' && Buffer.byteLength(name) <= longestName;
    if (!isName)
      throw badRequest(`part: expected the name of a file and its size, got ${JSON.stringify(text)}`, 'part');
    return { name, sizeBytes: Number(size) };
  });
  if (new Set(parts.map(({ name }) => name.toLowerCase())).size < parts.length)
    throw badRequest('part: expected a different name for each file, got one twice', 'part');
  return parts;
}
