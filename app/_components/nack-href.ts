export function nackHref(groupId: string): string {
  return `/nacks/${encodeURIComponent(groupId)}`;
}

/** The NACKs of one client, of one type or one resource of it. */
export function nacksHref(
  clientId: string,
  { typeUrl, name }: { readonly typeUrl?: string; readonly name?: string } = {},
): string {
  const query = new URLSearchParams({ client: clientId });
  if (typeUrl !== undefined) query.set('type', typeUrl);
  if (name !== undefined) query.set('resource', name);
  return `/nacks?${query}`;
}
