import { byDescending } from '@/lib/collections/compare';
import { formOf } from '@/lib/view-model/sources/source-kind-facts';
import { readsBootstrap, readsServers, type SourceDraft } from './source-draft';

export interface PlacedError {
  /** The message for the field that it concerns; undefined for the others. */
  readonly errorAt: (field: string) => string | undefined;
  /** The message if it concerns no field of the form. */
  readonly elsewhere: string;
}

/** `field` is the API's field path, as in "settings.listeners.1"; a list is one field of the form. */
export function placeError(
  message: string | undefined,
  field: string | undefined,
  draft: Pick<SourceDraft, 'kind' | 'from' | 'target'>,
): PlacedError {
  if (message === undefined) return { errorAt: () => undefined, elsewhere: '' };
  const { parts } = formOf(draft.kind);
  const hasServers = readsServers(draft);
  const shown = [
    ...(readsBootstrap(draft) ? ['bootstrap'] : []),
    ...['target', 'settings.credentials', 'label'],
    ...(hasServers ? [] : ['settings.tls', 'settings.tls.serverName']),
    ...(parts.includes('probe') ? adsFields : []),
    ...(parts.includes('node-id') ? ['settings.nodeId'] : []),
  ];
  // A conflict names no field; it concerns the server.
  const named = field ?? (hasServers ? 'bootstrap' : 'target');
  const place = shown
    .filter((each) => named === each || named?.startsWith(`${each}.`))
    .sort(byDescending(({ length }) => length))[0];
  // The path is redundant beside its field.
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
  'nodePreset',
  'nodeId',
  'nodeCluster',
  'nodeLocality',
  'nodeMetadata',
].map((name) => `settings.${name}`);
