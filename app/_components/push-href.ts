import type { Extent } from '../_hooks/extent';

interface Subject {
  readonly typeUrl: string;
  readonly name: string | null;
  readonly hash: string | null;
  readonly version: string;
  readonly server: string | null;
}

export function pushHref(subject: Subject, extent: Partial<Extent> = {}): string {
  const { typeUrl, name, hash, version, server } = subject;
  const query = new URLSearchParams({ type: typeUrl });
  if (name === null) {
    query.set('version', version);
    if (server !== null) query.set('server', server);
  } else {
    query.set('resource', name);
    if (hash !== null) query.set('hash', hash);
  }
  for (const [bound, at] of Object.entries(extent)) if (at !== '') query.set(bound, at);
  return `/pushes?${query}`;
}
