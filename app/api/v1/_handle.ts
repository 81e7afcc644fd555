import {
  type ApiError,
  assertJsonNesting,
  formatProblem,
  NestingError,
  problemHeaders,
} from '@/server/index';

type Context<P> = { readonly params: Promise<P> };

/**
 * A route handler that answers what `serve` returns as JSON (204 for undefined), and every error as RFC 9457
 * problem JSON. `serve` may return a Response of its own.
 */
export function handle<P = Record<string, never>>(
  serve: (request: Request, params: P) => unknown | Promise<unknown>,
  status = 200,
): (request: Request, context: Context<P>) => Promise<Response> {
  return async (request, context) => {
    try {
      const answer = await serve(request, await context.params);
      if (answer instanceof Response) return answer;
      if (answer === undefined) return new Response(null, { status: 204 });
      return Response.json(answer, { status, headers: { 'cache-control': 'no-store' } });
    } catch (error) {
      if (isApiError(error)) return problemResponse(error.status, error.title, error.detail, error.field);
      // Nobody is left to read the answer, and work that ended for that reason is no failure.
      if (request.signal.aborted) return new Response(null, { status: clientLeft });
      if (isRecorderError(error)) return problemResponse(503, 'Recording not available', error.message);
      process.stderr.write(`xdscope: ${request.method} ${new URL(request.url).pathname}: ${String(error)}\n`);
      return problemResponse(500, 'Internal error', 'xdscope failed to answer; its log says why');
    }
  };
}

export function problemResponse(status: number, title: string, detail: string, field?: string): Response {
  return new Response(formatProblem({ status, title, detail, field }), { status, headers: problemHeaders });
}

/** As proxies log a request whose client has left before its answer. */
const clientLeft = 499;

/** 404 as problem JSON. */
export function missing(what: string, id: string): Response {
  return problemResponse(
    404,
    `${what} not found`,
    `no ${what.toLowerCase()} has the id ${JSON.stringify(id)}`,
  );
}

/** By shape: the server's bundle and the pages' bundle have a class each. */
function isApiError(error: unknown): error is ApiError {
  return error instanceof Error && error.name === 'ApiError' && 'status' in error && 'title' in error;
}

/** What is recorded cannot be read, as where the file is damaged: the message says which file, and why. By shape, too. */
function isRecorderError(error: unknown): error is Error {
  return error instanceof Error && error.name === 'RecorderError';
}

/** Of a request's body, where the operation does not say otherwise. */
const defaultMaxBytes = 256 * 1024;

/** The request's JSON, or a Response that says what is wrong with it. JSON only: a form cannot be forged into one. */
export async function readJson(
  request: Request,
  maxBytes = defaultMaxBytes,
): Promise<{ readonly json: unknown } | Response> {
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/json\b/i.test(type)) {
    return problemResponse(
      415,
      'Unsupported media type',
      `expected application/json, got ${JSON.stringify(type)}`,
    );
  }
  const bytes = await readBytes(request, maxBytes);
  if (bytes instanceof Response) return bytes;
  const text = bytes.toString('utf8');
  try {
    assertJsonNesting(text);
    return { json: JSON.parse(text) };
  } catch (cause) {
    if (cause instanceof NestingError) return problemResponse(400, 'Bad request', `body: ${cause.message}`);
    const reason = cause instanceof Error ? cause.message : String(cause);
    return problemResponse(400, 'Bad request', `body: expected JSON (${reason})`);
  }
}

/** The request's body, or 413. A chunked body does not say how long it is: it is counted as it comes. */
export async function readBytes(request: Request, maxBytes: number): Promise<Buffer | Response> {
  const tooLarge = (got: string): Response =>
    problemResponse(413, 'Body too large', `expected at most ${maxBytes} bytes, got ${got}`);
  const announced = Number(request.headers.get('content-length') ?? 0);
  if (announced > maxBytes) return tooLarge(String(announced));
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
      return tooLarge(`${length} and more`);
    }
    chunks.push(value);
  }
}

/** A handler whose body is JSON. */
export function handleJson<P = Record<string, never>>(
  serve: (json: unknown, params: P) => unknown | Promise<unknown>,
  { status = 200, maxBytes }: { readonly status?: number; readonly maxBytes?: number } = {},
): (request: Request, context: Context<P>) => Promise<Response> {
  return handle<P>(async (request, params) => {
    const body = await readJson(request, maxBytes);
    return body instanceof Response ? body : serve(body.json, params);
  }, status);
}
