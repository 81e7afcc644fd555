import type { Extent } from '../_hooks/extent';

interface Subject {
  readonly typeUrl: string;
  readonly name?: string | undefined;
  readonly hash?: string | undefined;
  readonly version: string;
  readonly server?: string | undefined;
}

export function pushHref(subject: Subject, extent: Partial<Extent> = {}): string {
  const { typeUrl, name, hash, version, server } = subject;
  const query = new URLSearchParams({ type: typeUrl });
  if (name === undefined) {
    query.set('version', version);
    if (server !== undefined) query.set('server', server);
  } else {
    query.set('resource', name);
    if (hash !== undefined) query.set('hash', hash);
  }
  for (const [bound, at] of Object.entries(extent)) if (at !== '') query.set(bound, at);
  return `/pushes?${query}`;
}
