import { AsyncLocalStorage } from 'node:async_hooks';
import type { AnswerRequest } from './answer-request';
import { formatProblem, problemHeaders } from './problem-json';
import { parseRequestPath } from './request-path';

/** The path of the request that is served in this asynchronous context. */
const servedPath = new AsyncLocalStorage<string | undefined>();

/** Serves a request that passed the gate and took its place in the limits. */
export function serveRequest<T>({ url = '/' }: { readonly url?: string | undefined }, serve: () => T): T {
  return servedPath.run(parseRequestPath(url), serve);
}

interface Operations {
  readonly answerRequest: AnswerRequest;
  getMetrics(): Promise<string>;
}

/**
 * Returns the API for the routes of Next. A request that Next creates inside the process, as its image optimizer does,
 * has passed neither the checks nor the limits, so its operation is not run.
 */
export function rejectInternalRequests<Api extends Operations>(api: Api): Api {
  return {
    ...api,
    async answerRequest(request) {
      const { pathname } = new URL(request.url);
      if (isServed(pathname)) return api.answerRequest(request);
      const title = 'No such operation';
      const detail = `${pathname}: expected a request of a client, got one that was created by the server`;
      return new Response(formatProblem({ status: 404, title, detail }), {
        status: 404,
        headers: problemHeaders,
      });
    },
    async getMetrics() {
      if (!isServed('/metrics')) throw new Error('/metrics: expected a request of a client');
      return api.getMetrics();
    },
  };
}

function isServed(pathname: string): boolean {
  return servedPath.getStore() === pathname;
}
