import { formOf } from '@/lib/view-model/sources/source-kind-facts';
import { readsBootstrap, type SourceDraft } from './source-draft';

export interface PlacedError {
  /** The error's sentence at the field that it is about; undefined at the others. */
  readonly errorAt: (field: string) => string | undefined;
  /** What belongs to no field of the form. */
  readonly elsewhere: string;
}

/** `field` is what the API names, as in "settings.listeners.1"; lists are one field on the page. */
export function placeError(
  message: string | undefined,
  field: string | undefined,
  draft: Pick<SourceDraft, 'kind' | 'from'>,
): PlacedError {
  if (message === undefined) return { errorAt: () => undefined, elsewhere: '' };
  const { parts } = formOf(draft.kind);
  const isBootstrap = readsBootstrap(draft);
  const server = isBootstrap
    ? ['bootstrap', 'settings.credentials']
    : ['target', 'settings.credentials', 'settings.tls', 'settings.tls.serverName'];
  const shown = [
    ...server,
    'label',
    ...(parts.includes('probe') ? adsFields : []),
    ...(parts.includes('node-id') ? ['settings.nodeId'] : []),
  ];
  // A conflict names no field: what exists already is the server that was named.
  const named = field ?? server[0];
  const place = shown
    .filter((each) => named === each || named?.startsWith(`${each}.`))
    .sort((a, b) => b.length - a.length)[0];
  // Beside its field, the field's own name is no news.
  const short =
    named !== undefined && message.startsWith(`${named}: `) ? message.slice(named.length + 2) : message;
  return {
    errorAt: (each) => (each === place ? short : undefined),
    elsewhere: place === undefined ? message : '',
  };
}

const adsFields = [
  'transport',
  'apiVersion',
  'profile',
  'errorModel',
  'listeners',
  'serverListeners',
  'nodeId',
].map((name) => `settings.${name}`);
