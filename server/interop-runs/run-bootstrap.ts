import type { CaseServer as CaseServerName } from '@/lib/interop/interop-case';
import type { CaseServer } from './case-server';

/** Labels that rules of the case metadata_filter match. */
export const nodeMetadata = { a: '1', b: '2' } as const;

/** The node of the bootstrap. grpc-js-xds makes no RPCs without cluster and locality. */
export function nodeOfRun(id: string) {
  const locality = { region: 'lab', zone: 'a' };
  return { id, cluster: 'interop', locality, metadata: { ...nodeMetadata, app: 'interop' } };
}

interface BootstrapOptions {
  readonly nodeId: string;
  /** Opens a tap before a management server, and resolves to its address. Absent: the client connects directly. */
  readonly openTap?: (upstream: string) => Promise<string>;
}

/** The gRPC bootstrap of the client as JSON text: the servers in their order, "authority" as that of the authority "other". */
export async function buildBootstrap(
  servers: ReadonlyMap<CaseServerName, CaseServer>,
  { nodeId, openTap }: BootstrapOptions,
): Promise<string> {
  const entryOf = async ({ target }: CaseServer) => ({
    server_uri: (await openTap?.(target)) ?? target,
    channel_creds: [{ type: 'insecure' }],
    server_features: ['xds_v3'],
  });
  const ofBootstrap = [...servers].filter(([name]) => name !== 'authority');
  const authority = servers.get('authority');
  return JSON.stringify({
    xds_servers: await Promise.all(ofBootstrap.map(([, server]) => entryOf(server))),
    node: nodeOfRun(nodeId),
    ...(authority && { authorities: { other: { xds_servers: [await entryOf(authority)] } } }),
  });
}
