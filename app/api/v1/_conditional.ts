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
  if (isNamed(request.headers.get('if-none-match') ?? '', tag)) {
    return new Response(null, { status: 304, headers });
  }
  const answer = await make();
  return answer === undefined ? undefined : Response.json(answer, { headers });
}

/** RFC 9110 13.1.2: a list of tags, compared weakly. */
function isNamed(list: string, tag: string): boolean {
  const opaque = (text: string) => text.trim().replace(/^W\//, '');
  return list.split(',').some((each) => opaque(each) === opaque(tag));
}
