import type { NewSource, Security } from '@/lib/api/schema';
import type {
  ApiVersion,
  ErrorModel,
  ProbeManner,
  ProbeProfile,
  ProbeTransport,
} from '@/lib/xds/probe-choices';

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
  readonly manner: ProbeManner;
  readonly profile: ProbeProfile;
  readonly errorModel: ErrorModel;
  /** One on a line. */
  readonly listeners: string;
  /** Addresses that a server listens on, one on a line; where a bootstrap makes names of them. */
  readonly serverListeners: string;
  readonly nodeId: string;
  readonly security: Security;
  readonly caCertificateFile: string;
  readonly serverName: string;
  readonly certificateFile: string;
  readonly privateKeyFile: string;
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
  manner: 'observe',
  profile: 'core',
  errorModel: 'pre-a88',
  listeners: '',
  serverListeners: '',
  nodeId: '',
  security: 'plain',
  caCertificateFile: '',
  serverName: '',
  certificateFile: '',
  privateKeyFile: '',
};

/** What the API is asked for: what belongs to the choices made, and nothing else. */
export function toNewSource(draft: SourceDraft): NewSource {
  const { kind, transport, apiVersion, manner, profile, errorModel } = draft;
  const isBootstrap = kind === 'ads' && draft.from === 'bootstrap';
  const serverListeners = isBootstrap ? linesOf(draft.serverListeners) : [];
  const settings = {
    ...(kind === 'ads'
      ? {
          transport,
          apiVersion,
          manner,
          profile,
          errorModel,
          listeners: linesOf(draft.listeners),
          ...(serverListeners.length > 0 && { serverListeners }),
          ...optional('nodeId', draft.nodeId),
          ...(draft.crossCheck && transport !== 'rest' && { crossCheck: true }),
        }
      : {}),
    ...(kind === 'istiod' && optional('nodeId', draft.nodeId)),
    ...(draft.security === 'plain' || isBootstrap || kind === 'envoy-admin' ? {} : { tls: tlsOf(draft) }),
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

function tlsOf({ security, caCertificateFile, serverName, certificateFile, privateKeyFile }: SourceDraft) {
  const identity =
    security === 'mtls'
      ? { ...optional('certificateFile', certificateFile), ...optional('privateKeyFile', privateKeyFile) }
      : {};
  const server = {
    ...optional('caCertificateFile', caCertificateFile),
    ...optional('serverName', serverName),
  };
  return { ...server, ...identity };
}

function optional<K extends string>(key: K, said: string): { readonly [P in K]?: string } {
  const text = said.trim();
  return text === '' ? {} : ({ [key]: text } as { [P in K]: string });
}
