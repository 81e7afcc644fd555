/** The page Check with a body of a client to begin with, compared with that client. */
export function checkHref(
  clientId: string,
  body?: { readonly hash: string; readonly typeUrl: string },
): string {
  const query = new URLSearchParams({ client: clientId });
  if (body !== undefined) {
    query.set('body', body.hash);
    query.set('type', body.typeUrl);
  }
  return `/check?${query}`;
}
