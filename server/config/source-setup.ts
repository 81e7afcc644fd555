import type { ProbeSettingsShown, Security } from '@/lib/api/schema';
import type { ProbeNode } from '../bootstrap/probe-node';
import type { Target } from '../dial/target';
import type { SecurityConfig } from '../grpc/channel-security';
import type { ChannelCredentialsConfig } from '../grpc/credentials-config';
import type { TapSettings } from '../tap/tap-settings';
import type { ProbeSettings } from '../xds/probe/probe-settings';
import type { ServerConfig } from '../xds/stream/server-config';

/** Where a list of CSDS targets is. */
export type TargetListPlace =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'dns'; readonly target: Target };

/** What a source is started with, whoever named it. */
export type SourceSetup =
  | {
      readonly kind: 'csds';
      readonly security: SecurityConfig;
      /** Whom its certificate has to name, where that is not the target's host. */
      readonly serverName?: string;
      /** Time between two looks whether the connection is alive; one of many is looked at less often. */
      readonly keepaliveMs?: number;
    }
  | { readonly kind: 'csds-list'; readonly from: TargetListPlace; readonly security: SecurityConfig }
  /** `nodeId`: what we call ourselves there. */
  | { readonly kind: 'istiod'; readonly security: SecurityConfig; readonly nodeId: string }
  /** Envoy's admin interface has no TLS, and nobody to sign in as. */
  | { readonly kind: 'envoy-admin' }
  | { readonly kind: 'tap'; readonly settings: TapSettings }
  | { readonly kind: 'ads'; readonly node: ProbeNode; readonly settings: ProbeSettings };

/** Of the setup, what the pages show. Names of files and tokens stay here. */
export function showSetup(setup: SourceSetup): { security: Security; settings: ProbeSettingsShown | null } {
  if (setup.kind === 'csds' || setup.kind === 'csds-list' || setup.kind === 'istiod')
    return { security: securityOf(setup.security.credentials), settings: null };
  if (setup.kind === 'envoy-admin') return { security: 'plain', settings: null };
  if (setup.kind === 'tap') return { security: securityOf(setup.settings.listenTls), settings: null };
  const { transport, apiVersion, mode, profile, errorModel, interest, servers, authorities } = setup.settings;
  const first = servers[0];
  return {
    security: first === undefined ? 'plain' : securityOf(first.credentials),
    settings: {
      transport,
      apiVersion,
      mode,
      profile,
      errorModel,
      nodeId: setup.node.id,
      listeners: [...interest.listeners],
      resources: Object.fromEntries([...interest.resources].map(([typeUrl, names]) => [typeUrl, [...names]])),
      servers: servers.map(showServer),
      authorities: [...authorities].map(([name, authority]) => ({
        name,
        servers: authority.servers.map(({ target }) => target.text),
      })),
    },
  };
}

function showServer({ target, credentials, callCredentials }: ServerConfig) {
  return {
    target: target.text,
    security: securityOf(credentials),
    sendsToken: callCredentials.length > 0,
  };
}

export function securityOf(credentials: ChannelCredentialsConfig): Security {
  if (credentials.kind === 'insecure') return 'plain';
  return credentials.certificateFile === null ? 'tls' : 'mtls';
}
