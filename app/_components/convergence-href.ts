/** Where a version or a content is told of: who has accepted it. */
export function convergenceHref(subject: {
  readonly typeUrl: string;
  readonly name: string | null;
  readonly hash: string | null;
  readonly version: string;
  readonly server: string | null;
}): string {
  const { typeUrl, name, hash, version, server } = subject;
  const query = new URLSearchParams({ type: typeUrl });
  if (name === null) {
    query.set('version', version);
    if (server !== null) query.set('server', server);
  } else {
    query.set('resource', name);
    if (hash !== null) query.set('hash', hash);
  }
  return `/convergence?${query}`;
}
