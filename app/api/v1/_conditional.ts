import { isNamedTag } from '@/lib/api/is-named-tag';

/**
 * Answers as long as the tag is not the one that the asker has already: then 304, and nothing is made. `no-cache`: a
 * browser keeps the answer, and asks each time whether it still holds.
 */
export async function answerConditionally(
  request: Request,
  tag: string,
  make: () => Promise<unknown>,
): Promise<Response | undefined> {
  const headers = { etag: tag, 'cache-control': 'no-cache' };
  if (isNamedTag(request.headers.get('if-none-match') ?? '', tag)) {
    return new Response(null, { status: 304, headers });
  }
  const answer = await make();
  return answer === undefined ? undefined : Response.json(answer, { headers });
}
