import { explain } from '@/lib/explain/explain';
import type { Trace } from '@/lib/explain/trace';
import type { Failing } from '@/lib/facts/failing-endpoints';
import type { ExplainRequest } from '@/lib/requests/request';
import { type Client, newestOf } from '@/lib/xds/profile';
import { resolverOver } from '@/tests/support/builders/resolve-mesh';
import type { MeshResource } from '@/tests/support/builders/topology-mesh';

export interface ExplainedMesh {
  readonly client?: Client;
  readonly failing?: Failing;
  readonly start: { readonly listener: string; readonly authority?: string };
}

/** Explains a request in a client that holds these resources. */
export function explainIn(
  resources: readonly MeshResource[],
  request: ExplainRequest,
  { client = 'envoy', start, failing }: ExplainedMesh,
): Trace {
  const profile = newestOf(client);
  const resolver = resolverOver(resources, { start, profile });
  if (failing !== undefined) resolver.setFailing(failing);
  const config = {
    listener: resolver.listener,
    jsonOf: (key: { typeUrl: string; name: string }) =>
      resources.find(({ typeUrl, name }) => typeUrl === key.typeUrl && name === key.name)?.body,
    findCluster: (name: string) => resolver.entryOf(name),
  };
  return explain(config, request, profile);
}

/** "taken route 2 "api": all its conditions hold @virtualHosts[0].routes[1]". */
export function linesOf({ steps }: Trace): string[] {
  return steps.map(
    ({ verdict, title, reason, path }) =>
      `${verdict} ${title}${reason === '' ? '' : `: ${reason}`}${path === '' ? '' : ` @${path}`}`,
  );
}
