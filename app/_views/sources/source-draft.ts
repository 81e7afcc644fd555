import { formOf } from '@/lib/observation/source-kinds';
import type { NewSource } from '@/lib/views/sources/schema';
import type {
  ApiVersion,
  ErrorModel,
  ProbeMode,
  ProbeProfile,
  ProbeTransport,
} from '@/lib/xds/probe-choices';

/**
 * plain: plain text, or the settings of a bootstrap; tls: TLS with the CAs of the system; otherwise named
 * credentials of the config file.
 */
export type DraftSecurity = 'plain' | 'tls' | `credentials:${string}`;

/** default: ADS, or what a bootstrap states. */
export type DraftTransport = 'default' | ProbeTransport;

export interface SourceDraft {
  readonly kind: NewSource['kind'];
  readonly from: 'address' | 'bootstrap';
  /** The address of the server. Beside a bootstrap, it replaces the servers of the bootstrap, and may be empty. */
  readonly target: string;
  readonly bootstrap: string;
  readonly label: string;
  readonly transport: DraftTransport;
  readonly crossCheck: boolean;
  /** CSDS only. */
  readonly channelz: boolean;
  readonly apiVersion: ApiVersion;
  readonly mode: ProbeMode;
  readonly profile: ProbeProfile;
  readonly errorModel: ErrorModel;
  /** One per line. */
  readonly listeners: string;
  /** One per line; used with the servers of a bootstrap only. */
  readonly serverListeners: string;
  readonly nodeId: string;
  readonly nodePreset: string;
  readonly nodeCluster: string;
  readonly nodeLocality: string;
  /** The JSON of an object. */
  readonly nodeMetadata: string;
  readonly security: DraftSecurity;
  readonly serverName: string;
}

export const emptyDraft: SourceDraft = {
  kind: 'csds',
  from: 'address',
  target: '',
  bootstrap: '',
  label: '',
  transport: 'default',
  crossCheck: false,
  channelz: false,
  apiVersion: 'v3',
  mode: 'observe',
  profile: 'core',
  errorModel: 'pre-a88',
  listeners: '',
  serverListeners: '',
  nodeId: '',
  nodePreset: '',
  nodeCluster: '',
  nodeLocality: '',
  nodeMetadata: '',
  security: 'plain',
  serverName: '',
};

/** True if the client is that of a bootstrap. */
export function readsBootstrap({ kind, from }: Pick<SourceDraft, 'kind' | 'from'>): boolean {
  return formOf(kind).parts.includes('probe') && from === 'bootstrap';
}

/** True if a bootstrap, not an address, names the servers. */
export function readsServers(draft: Pick<SourceDraft, 'kind' | 'from' | 'target'>): boolean {
  return readsBootstrap(draft) && draft.target.trim() === '';
}

/** The API request: only the values that apply to the choices made. */
export function toNewSource(draft: SourceDraft): NewSource {
  const { kind, transport, apiVersion, mode, profile, errorModel } = draft;
  const { parts } = formOf(kind);
  const hasServers = readsServers(draft);
  const serverListeners = hasServers ? linesOf(draft.serverListeners) : [];
  const settings = {
    ...(parts.includes('probe')
      ? {
          ...(transport !== 'default' && { transport }),
          apiVersion,
          mode,
          profile,
          errorModel,
          listeners: linesOf(draft.listeners),
          ...(serverListeners.length > 0 && { serverListeners }),
          ...optional('nodePreset', draft.nodePreset),
          ...optional('nodeId', draft.nodeId),
          ...optional('nodeCluster', draft.nodeCluster),
          ...optional('nodeLocality', draft.nodeLocality),
          ...optional('nodeMetadata', draft.nodeMetadata),
          ...(draft.crossCheck && transport !== 'rest' && { crossCheck: true }),
        }
      : {}),
    ...(parts.includes('channelz') && draft.channelz && { channelz: true }),
    ...(parts.includes('node-id') && optional('nodeId', draft.nodeId)),
    ...(parts.includes('security') && securityOf(draft, hasServers)),
  };
  return {
    kind,
    ...(readsBootstrap(draft) && { bootstrap: draft.bootstrap }),
    ...(!hasServers && { target: draft.target.trim() }),
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

function securityOf({ security, serverName }: SourceDraft, hasServers: boolean) {
  if (security.startsWith(credentialsPrefix))
    return { credentials: security.slice(credentialsPrefix.length) };
  // A bootstrap defines the security of each of its servers.
  return security === 'plain' || hasServers ? {} : { tls: optional('serverName', serverName) };
}

const credentialsPrefix = 'credentials:';

function optional<K extends string>(key: K, said: string): { readonly [P in K]?: string } {
  const text = said.trim();
  return text === '' ? {} : ({ [key]: text } as { [P in K]: string });
}
