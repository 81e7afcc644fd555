import type { ProblemDetails } from '@/lib/views/fields/problem';
import { ApiError } from './api-error';

export const apiRoot = '/api/v1';
/** The server answers within milliseconds; after this time it counts as unreachable. */
const usualTimeoutMs = 20_000;

interface RequestOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** A Blob is sent as it is, anything else as JSON. */
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  /** The limit for the whole call; 20 s by default. */
  readonly timeoutMs?: number;
}

/** Calls `/api/v1/<path>`. Every failure is an ApiError with a sentence for users. */
export async function requestJson<T>(path: string, options: RequestOptions = {}): Promise<T> {
  const response = await send(path, options);
  if (!response.ok) throw await readProblem(response);
  if (response.status === 204) return undefined as T;
  try {
    return (await response.json()) as T;
  } catch (cause) {
    throw new ApiError(
      response.status,
      'Unreadable answer',
      `GET ${path}: expected JSON, got something else`,
      undefined,
      {
        cause,
      },
    );
  }
}

async function send(
  path: string,
  { method = 'GET', body, signal, timeoutMs = usualTimeoutMs }: RequestOptions,
): Promise<Response> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    return await fetch(`${apiRoot}/${path}`, {
      method,
      headers: body === undefined ? undefined : { 'content-type': contentTypeOf(body) },
      body: body === undefined || body instanceof Blob ? body : JSON.stringify(body),
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    });
  } catch (cause) {
    // An abort by the caller is not a failure: react-query recognises its own signal.
    if (signal?.aborted === true) throw cause;
    const detail = timeout.aborted
      ? `xdscope did not answer within ${timeoutMs / 1_000} s`
      : 'xdscope does not respond. Check that it is still running.';
    throw new ApiError(0, 'No answer', detail, undefined, { cause });
  }
}

function contentTypeOf(body: unknown): string {
  return body instanceof Blob ? 'application/octet-stream' : 'application/json';
}

async function readProblem(response: Response): Promise<ApiError> {
  const fallback = `HTTP ${response.status} ${response.statusText}`.trim();
  const body: unknown = await response.json().catch(() => null);
  if (!isProblem(body)) return new ApiError(response.status, fallback, '');
  const { title = fallback, detail = '', field, importId } = body;
  return new ApiError(response.status, title, detail, field, undefined, importId);
}

function isProblem(body: unknown): body is Partial<ProblemDetails> {
  if (typeof body !== 'object' || body === null) return false;
  const { title, detail, field, importId } = body as Record<string, unknown>;
  return [title, detail, field, importId].every(isTextOrUnset);
}

function isTextOrUnset(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}
