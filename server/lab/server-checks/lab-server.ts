import type { ResourceType } from '@/lib/xds/resource-type';
import type { Clock } from '../../observe';
import { ManagementServer, type ManagementServerOptions } from '../management-server/management-server';
import { everyNode, type Resource } from '../management-server/snapshot-store';
import type { ConfigAdapter } from './check-run';

/** Starts a management server of the lab that serves nobody else, so that checks may change its config. */
export async function startLabServer(
  clock: Clock,
  options: Partial<ManagementServerOptions> = {},
): Promise<{
  readonly target: string;
  readonly server: ManagementServer;
  readonly adapter: ConfigAdapter;
  close(): Promise<void>;
}> {
  const server = new ManagementServer({ clock, repeatsEndpoints: true, ...options });
  // Code 7 is PERMISSION_DENIED.
  const setError = ({ typeUrl }: ResourceType, name: string, message: string) =>
    server.setError(everyNode, typeUrl, { name, code: 7, message });
  const rest = server.restFront();
  const held = new Map<string, readonly Resource[]>();
  return {
    target: await server.listen(),
    server,
    async close() {
      await Promise.all([rest.close(), server.close()]);
    },
    adapter: {
      features: ['together', 'aliases', 'heartbeats', 'errors', 'rest', 'large'],
      sendHeartbeats: ({ typeUrl }) => server.sendHeartbeats(typeUrl),
      ...{ setError, restTarget: await rest.listen() },
      replace: async (changes) => {
        for (const { type, resources } of changes) held.set(type.typeUrl, resources);
        server.setResources(everyNode, [...held.values()].flat());
      },
    },
  };
}
