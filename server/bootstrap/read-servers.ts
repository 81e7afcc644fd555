import type { ServerConfig } from '../xds/stream/server-config';
import { BootstrapError } from './bootstrap-error';
import type { BootstrapFiles } from './bootstrap-files';
import type { ServerEntry } from './bootstrap-schema';
import { readCallCredentials, readChannelCredentials } from './read-credentials';
import { isUnixSocket, parseServerUri } from './server-uri';

/**
 * A list of `xds_servers` in its order, which is the order of preference (gRFC A71), without unix sockets where files are
 * ignored. Throws BootstrapError.
 */
export function readServers(
  entries: readonly ServerEntry[],
  where: string,
  from: BootstrapFiles,
): ServerConfig[] {
  return entries.flatMap((entry, index) => {
    const place = `${where}[${index}]`;
    if ('cwd' in from || !isUnixSocket(entry.server_uri)) return [readServer(entry, place, from)];
    from.ignored.push(`${place}.server_uri`);
    return [];
  });
}

function readServer(entry: ServerEntry, where: string, from: BootstrapFiles): ServerConfig {
  const parsed = parseServerUri(entry.server_uri);
  if (!parsed.ok) throw new BootstrapError(`${where}.server_uri`, parsed.reason);
  const credentials = readChannelCredentials(entry.channel_creds, `${where}.channel_creds`, from);
  return {
    target: parsed.target,
    credentials,
    callCredentials: readCallCredentials(entry.call_creds ?? [], credentials, `${where}.call_creds`, from),
    features: new Set(entry.server_features ?? []),
  };
}
