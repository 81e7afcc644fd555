import type { IncomingMessage, ServerResponse } from 'node:http';
import { sendProblem } from './problem-json';
import { parseRequestPath } from './request-path';

/** The requests of load balancers and orchestrators, which have no token. */
export function isProbe({ url = '/' }: Pick<IncomingMessage, 'url'>): boolean {
  const path = parseRequestPath(url);
  return path === '/healthz' || path === '/readyz';
}

/**
 * Answers GET /healthz, which only states that the process answers, and GET /readyz, which states whether it serves
 * pages and operations. `unready` is the reason why it does not.
 */
export function answerProbe(
  { method, url = '/' }: Pick<IncomingMessage, 'method' | 'url'>,
  response: ServerResponse,
  unready: string | undefined,
): void {
  if (method !== 'GET' && method !== 'HEAD') {
    const allow = 'GET, HEAD';
    const detail = `expected ${allow}, got ${method}`;
    sendProblem(response, { status: 405, title: 'Method not allowed', detail, allow });
  } else if (unready !== undefined && parseRequestPath(url) === '/readyz') {
    sendUnready(response, unready);
  } else {
    response.writeHead(200, { 'content-type': 'text/plain', 'cache-control': 'no-store' }).end('ok\n');
  }
}

export function sendUnready(response: ServerResponse, reason: string): void {
  response.setHeader('retry-after', '1');
  sendProblem(response, { status: 503, title: 'Not ready', detail: reason });
}
