const retryMs = 1_000;
/** A proxy answers in place of a server that is gone. */
const unreachable: ReadonlySet<number> = new Set([502, 503, 504]);

type Fetch = typeof fetch;

/**
 * Next.js leaves the app for a page of the browser if the request for a page fails. This fetch repeats such a request until
 * the server answers or the request is aborted, so that the current page stays and the new one opens then. Other requests,
 * and requests for pages in advance, are passed on unchanged.
 */
export function holdNavigation(
  next: Fetch,
  wait: (ms: number) => Promise<void> = (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
): Fetch {
  return async (input, init) => {
    const headers = new Headers(init?.headers);
    if (!headers.has('rsc') || headers.has('next-router-prefetch')) return next(input, init);
    for (;;) {
      try {
        const response = await next(input, init);
        if (!unreachable.has(response.status)) return response;
      } catch (error) {
        if (init?.signal?.aborted === true || !(error instanceof TypeError)) throw error;
      }
      await wait(retryMs);
    }
  };
}
