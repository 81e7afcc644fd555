import type { NewSource } from '@/lib/api/schema';
import { formOf } from '@/lib/view-model/sources/source-kind-facts';
import type {
  ApiVersion,
  ErrorModel,
  ProbeMode,
  ProbeProfile,
  ProbeTransport,
} from '@/lib/xds/probe-choices';

/**
 * Plain text, or with a bootstrap what it says; TLS by the system's authorities; credentials of the config file by their
 * name.
 */
export type DraftSecurity = 'plain' | 'tls' | `credentials:${string}`;

/** What is in the form, as it was typed. */
export interface SourceDraft {
  readonly kind: NewSource['kind'];
  readonly from: 'address' | 'bootstrap';
  readonly target: string;
  readonly bootstrap: string;
  readonly label: string;
  readonly transport: ProbeTransport;
  readonly crossCheck: boolean;
  readonly apiVersion: ApiVersion;
  readonly mode: ProbeMode;
  readonly profile: ProbeProfile;
  readonly errorModel: ErrorModel;
  /** One on a line. */
  readonly listeners: string;
  /** Addresses that a server listens on, one on a line; where a bootstrap makes names of them. */
  readonly serverListeners: string;
  readonly nodeId: string;
  readonly security: DraftSecurity;
  readonly serverName: string;
}

export const emptyDraft: SourceDraft = {
  kind: 'csds',
  from: 'address',
  target: '',
  bootstrap: '',
  label: '',
  transport: 'ads',
  crossCheck: false,
  apiVersion: 'v3',
  mode: 'observe',
  profile: 'core',
  errorModel: 'pre-a88',
  listeners: '',
  serverListeners: '',
  nodeId: '',
  security: 'plain',
  serverName: '',
};

/** Does a bootstrap name the servers, and not an address? */
export function readsBootstrap({ kind, from }: Pick<SourceDraft, 'kind' | 'from'>): boolean {
  return formOf(kind).parts.includes('probe') && from === 'bootstrap';
}

/** What the API is asked for: what belongs to the choices made, and nothing else. */
export function toNewSource(draft: SourceDraft): NewSource {
  const { kind, transport, apiVersion, mode, profile, errorModel } = draft;
  const { parts } = formOf(kind);
  const isBootstrap = readsBootstrap(draft);
  const serverListeners = isBootstrap ? linesOf(draft.serverListeners) : [];
  const settings = {
    ...(parts.includes('probe')
      ? {
          transport,
          apiVersion,
          mode,
          profile,
          errorModel,
          listeners: linesOf(draft.listeners),
          ...(serverListeners.length > 0 && { serverListeners }),
          ...optional('nodeId', draft.nodeId),
          ...(draft.crossCheck && transport !== 'rest' && { crossCheck: true }),
        }
      : {}),
    ...(parts.includes('node-id') && optional('nodeId', draft.nodeId)),
    ...(parts.includes('security') && securityOf(draft, isBootstrap)),
  };
  return {
    kind,
    ...(isBootstrap ? { bootstrap: draft.bootstrap } : { target: draft.target.trim() }),
    ...optional('label', draft.label),
    ...(Object.keys(settings).length === 0 ? {} : { settings }),
  };
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function securityOf({ security, serverName }: SourceDraft, isBootstrap: boolean) {
  if (security.startsWith(credentialsPrefix))
    return { credentials: security.slice(credentialsPrefix.length) };
  // A bootstrap says itself which of its servers are reached over TLS.
  return security === 'plain' || isBootstrap ? {} : { tls: optional('serverName', serverName) };
}

const credentialsPrefix = 'credentials:';

function optional<K extends string>(key: K, said: string): { readonly [P in K]?: string } {
  const text = said.trim();
  return text === '' ? {} : ({ [key]: text } as { [P in K]: string });
}
