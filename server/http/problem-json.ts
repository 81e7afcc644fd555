import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ProblemDetails } from '@/lib/views/fields/problem';
import { redactMessage } from '../codec/secrets/redact-message';

export interface Problem extends ProblemParts {
  /** RFC 9110 15.5.6: a 405 lists the allowed methods. */
  readonly allow?: string;
}

export function sendProblem(response: ServerResponse, problem: Problem): void {
  const { status, allow } = problem;
  response.writeHead(status, { ...problemHeaders, ...(allow === undefined ? {} : { allow }) });
  response.end(formatProblem(problem));
}

/** Answers while the body may still be received; lingerAfterAnswer() reads the rest of it. */
export function rejectRequest(request: IncomingMessage, response: ServerResponse, problem: Problem): void {
  request.resume();
  sendProblem(response, problem);
}

export type ProblemParts = Omit<ProblemDetails, 'type'>;

export const problemHeaders = {
  'content-type': 'application/problem+json',
  'cache-control': 'no-store',
} as const;

/** Formats RFC 9457 problem JSON. Secrets in the detail are masked. */
export function formatProblem({ title, status, detail, field, importId }: ProblemParts): string {
  const problem: ProblemDetails = {
    type: 'about:blank',
    title,
    status,
    detail: redactMessage(detail),
    ...(field === undefined ? {} : { field }),
    ...(importId === undefined ? {} : { importId }),
  };
  return JSON.stringify(problem);
}
