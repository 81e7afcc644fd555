import type { ServerResponse } from 'node:http';
import { redactMessage } from '../codec/secrets/redact-message';

export interface Problem {
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  /** RFC 9110 15.5.6: a 405 names the methods that there are. */
  readonly allow?: string;
}

/** Answers with RFC 9457 problem JSON. */
export function sendProblem(response: ServerResponse, { status, title, detail, allow }: Problem): void {
  response.writeHead(status, {
    'content-type': 'application/problem+json',
    'cache-control': 'no-store',
    ...(allow === undefined ? {} : { allow }),
  });
  response.end(JSON.stringify({ type: 'about:blank', title, status, detail: redactMessage(detail) }));
}
