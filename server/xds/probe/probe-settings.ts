import type { ListenerNameTemplates } from '@/lib/xds/listener-name';
import type {
  ApiVersion,
  ErrorModel,
  ProbeMode,
  ProbeProfile,
  ProbeTransport,
} from '@/lib/xds/probe-choices';
import type { AuthorityConfig, ServerConfig } from '../stream/server-config';

export type { ErrorModel, ProbeMode, ProbeProfile, ProbeTransport } from '@/lib/xds/probe-choices';

/** What a probe wants. Everything that the server offers, or listeners (of the templates) and resources by name. */
export interface ProbeInterest {
  /** Wildcard LDS and CDS. */
  readonly wildcard: boolean;
  /** Listener names, with all that they lead to. */
  readonly listeners: readonly string[];
  /** Further roots, of any type: what no listener leads to (SRDS, VHDS, SDS, RTDS, ECDS), by type URL. */
  readonly resources: ReadonlyMap<string, readonly string[]>;
}

/** Everything that a probe can be reported, with nothing left out; defaultProbeSettings() has the usual values. */
export interface ProbeSettings {
  readonly transport: ProbeTransport;
  readonly apiVersion: ApiVersion;
  readonly mode: ProbeMode;
  /** Whose rules `validate` applies. */
  readonly profile: ProbeProfile;
  readonly errorModel: ErrorModel;
  readonly interest: ProbeInterest;
  /** The top-level servers in the order of preference (gRFC A71); never empty. */
  readonly servers: readonly ServerConfig[];
  readonly authorities: ReadonlyMap<string, AuthorityConfig>;
  /** Names under certificate_providers; null where no bootstrap said. */
  readonly certificateProviders: ReadonlySet<string> | null;
  /** How the bootstrap makes listener names of targets; null where no bootstrap said. */
  readonly templates: ListenerNameTemplates | null;
  /** Messages above it end the stream; those above 4 MiB (gRPC clients' default limit) are flagged. */
  readonly maxMessageBytes: number;
  /** REST: time between two polls of a type, jitter not included (ApiConfigSource.refresh_delay). */
  readonly refreshDelayMs: number;
  /** `file`: type URL -> path of the file that holds its DiscoveryResponse, and the directory to watch if another. */
  readonly files: ReadonlyMap<string, { readonly path: string; readonly watchedDirectory: string | null }>;
}

export const everythingOffered: ProbeInterest = { wildcard: true, listeners: [], resources: new Map() };

/** An observer on one ADS stream, in state of the world. */
export function defaultProbeSettings(server: ServerConfig): ProbeSettings {
  return {
    transport: 'ads',
    apiVersion: 'v3',
    mode: 'observe',
    profile: 'core',
    errorModel: 'pre-a88',
    interest: everythingOffered,
    servers: [server],
    authorities: new Map(),
    certificateProviders: null,
    templates: null,
    maxMessageBytes: 128 * 1024 * 1024,
    refreshDelayMs: 1_000,
    files: new Map(),
  };
}
