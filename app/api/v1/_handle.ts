import { type ApiError, formatProblem, problemHeaders } from '@/server/index';

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
