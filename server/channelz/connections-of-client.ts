import type { Connection } from '@/lib/observation/connection';
import { serverScope } from '@/lib/xds/client-scope';
import { isXdsTarget } from './connection-tracker';

/**
 * The connections of one xDS client of a process. Of channels of xDS, a client with a target has those that dial it; channels
 * to other targets, as management servers, are of the process.
 */
export function connectionsOfClient(all: Iterable<Connection>, scope: string): Connection[] {
  const chosen = new Set<string>();
  const connections: Connection[] = [];
  for (const connection of all) {
    const { id, kind, target, channels } = connection;
    if (kind === 'channel' && !isChannelOf(target, scope)) continue;
    if (kind === 'listener' && scope !== '' && scope !== serverScope) continue;
    const used = channels.filter((channel) => chosen.has(channel));
    if (kind === 'subchannel' && used.length === 0) continue;
    chosen.add(id);
    const isWhole = kind !== 'subchannel' || used.length === channels.length;
    connections.push(isWhole ? connection : { ...connection, channels: used });
  }
  return connections;
}

function isChannelOf(target: string, scope: string): boolean {
  if (!isXdsTarget(target) || scope === '') return true;
  return withoutSlashes(target) === withoutSlashes(scope);
}

/** CSDS of C-core has "xds:/shop" where channelz has "xds:///shop". */
function withoutSlashes(target: string): string {
  return target.replace(/^xds:\/*/i, '');
}
