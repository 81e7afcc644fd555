import type { ListenerNameTemplates } from '@/lib/xds/listener-name';
import type { ApiVersion } from '@/lib/xds/probe-choices';
import type { ServerConfig } from '../../../transport/bootstrap/server-config';
import type { ProbeInterest } from '../client/wanted-names';
import type { XdsClientSettings } from '../client/xds-client';

/** All settings of a probe; defaultProbeSettings() returns the defaults. */
export interface ProbeSettings extends XdsClientSettings {
  readonly apiVersion: ApiVersion;
  /** The templates by which the bootstrap maps targets to listener names; null without a bootstrap. */
  readonly templates: ListenerNameTemplates | null;
  /** A larger message ends its stream. Messages above 4 MiB (the default limit of gRPC clients) are noted. */
  readonly maxMessageBytes: number;
  /** gRPC: milliseconds between two pings of a connection. Absent: no pings. */
  readonly keepaliveMs?: number | undefined;
  /** REST: the time between two polls of a type, without jitter (ApiConfigSource.refresh_delay). */
  readonly refreshDelayMs: number;
  /** `file`: the file with the DiscoveryResponse of each type URL, and its watched_directory. */
  readonly files: ReadonlyMap<string, { readonly path: string; readonly watchedDirectory: string | null }>;
}

export const everythingOffered: ProbeInterest = { wildcard: true, listeners: [], resources: new Map() };

/** Returns the settings of mode `observe` on one state-of-the-world ADS stream. */
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
