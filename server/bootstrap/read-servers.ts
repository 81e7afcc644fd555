import type { ServerConfig } from '../xds/server-config';
import { BootstrapError } from './bootstrap-error';
import type { ServerEntry } from './bootstrap-schema';
import { readCallCredentials, readChannelCredentials } from './read-credentials';
import { parseServerUri } from './server-uri';

/** A list of `xds_servers` in its order, which is the order of preference (gRFC A71). Throws BootstrapError. */
export function readServers(
  entries: readonly ServerEntry[],
  where: string,
  cwd: string | null,
): ServerConfig[] {
  return entries.map((entry, index) => readServer(entry, `${where}[${index}]`, cwd));
}

function readServer(entry: ServerEntry, where: string, cwd: string | null): ServerConfig {
  const parsed = parseServerUri(entry.server_uri);
  if (!parsed.ok) throw new BootstrapError(`${where}.server_uri`, parsed.reason);
  const credentials = readChannelCredentials(entry.channel_creds, `${where}.channel_creds`, cwd);
  return {
    target: parsed.target,
    credentials,
    callCredentials: readCallCredentials(entry.call_creds ?? [], credentials, `${where}.call_creds`, cwd),
    features: new Set(entry.server_features ?? []),
  };
}
