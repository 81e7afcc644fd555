import { ApiError } from '../api-error';
import { RecorderError } from '../recorder/recorder';
import { formatProblem, type ProblemParts, problemHeaders } from './problem-json';

/** As proxies log a request whose client closed the connection before the answer. */
const clientClosedRequest = 499;

/** RFC 9457 problem JSON for what an answer function threw. An error that is not expected is logged. */
export function answerError(error: unknown, request: Request): Response {
  if (error instanceof ApiError) {
    const { status, title, detail, field } = error;
    return problemResponse({ status, title, detail, field });
  }
  // Work that was aborted because the client closed the connection is no failure.
  if (request.signal.aborted) return new Response(null, { status: clientClosedRequest });
  if (error instanceof RecorderError) {
    return problemResponse({ status: 503, title: 'Recording not available', detail: error.message });
  }
  process.stderr.write(`xdscope: ${request.method} ${new URL(request.url).pathname}: ${String(error)}\n`);
  const detail = 'xdscope failed to answer; its log says why';
  return problemResponse({ status: 500, title: 'Internal error', detail });
}

function problemResponse(problem: ProblemParts): Response {
  return new Response(formatProblem(problem), { status: problem.status, headers: problemHeaders });
}
