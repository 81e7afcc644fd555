import { defaultAuthorityTemplate } from '@/lib/xds/listener-name';
import { encodeAuthority } from '@/lib/xds/resource-name';
import type { AuthorityConfig, ServerConfig } from '../xds/stream/server-config';
import { BootstrapError, formatPath } from './bootstrap-error';
import type { BootstrapFiles } from './bootstrap-files';
import type { AuthorityEntry } from './bootstrap-schema';
import { readServers } from './read-servers';

/**
 * `authorities` (gRFC A47). One without servers of its own has the top-level ones; one whose servers are all ignored is
 * left out. Throws BootstrapError.
 */
export function readAuthorities(
  entries: Readonly<Record<string, AuthorityEntry>>,
  topLevel: readonly ServerConfig[],
  from: BootstrapFiles,
): Map<string, AuthorityConfig> {
  return new Map(
    Object.entries(entries).flatMap(([name, entry]): [string, AuthorityConfig][] => {
      const where = formatPath('authorities', [name]);
      const said = entry.xds_servers ?? [];
      const servers = readServers(said, `${where}.xds_servers`, from);
      if (said.length > 0 && servers.length === 0) return [];
      const config: AuthorityConfig = {
        servers: servers.length === 0 ? topLevel : servers,
        clientListenerResourceNameTemplate: readTemplate(name, entry, where),
        fallbackOnReachabilityOnly: entry.fallback_on_reachability_only ?? false,
      };
      return [[name, config]];
    }),
  );
}

/** gRFC A47: it must begin with `xdstp://AUTHORITY/`, or the bootstrap is rejected. */
function readTemplate(name: string, entry: AuthorityEntry, where: string): string {
  const said = entry.client_listener_resource_name_template;
  if (said === null || said === undefined || said === '') return defaultAuthorityTemplate(name);
  const beginnings = [`xdstp://${name}/`, `xdstp://${encodeAuthority(name)}/`];
  if (beginnings.some((beginning) => said.startsWith(beginning))) return said;
  throw new BootstrapError(
    `${where}.client_listener_resource_name_template`,
    `expected a template that begins with ${JSON.stringify(beginnings[0])}, got ${JSON.stringify(said)}`,
  );
}
