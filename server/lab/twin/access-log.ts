import { z } from 'zod';
import type { TwinBackend } from '@/lib/twin/twin';

/** Marks the lines of the twin's access log among other output of Envoy. */
const marker = 'xdscope.twin';
const text = z
  .unknown()
  .transform((value) => (value === null || value === undefined || value === '-' ? '' : String(value)));

const line = z.object({
  [marker]: z.literal('1'),
  route: text,
  chosen: z.object({ virtualHost: z.string(), route: z.string() }).nullish().catch(undefined),
  cluster: text,
  host: text,
  status: text,
  grpcStatus: text,
  flags: text,
  details: text,
  filterChain: text,
  attempts: text,
});

/** What Envoy did with one request. Absent parts are not reached. */
export interface ObservedRequest {
  readonly status?: number;
  readonly grpcCode?: string;
  readonly flag?: string;
  readonly details?: string;
  readonly filterChain?: string;
  readonly virtualHost?: string;
  /** The name of the route, empty if it has none. */
  readonly routeName?: string;
  /** The place of the route in its resource, such as "virtualHosts[0].routes[2]". */
  readonly routePath?: string;
  readonly cluster?: string;
  /** Clusters that contain the cluster, where the one that the route names is not observed. */
  readonly aggregates?: readonly string[];
  readonly backend?: TwinBackend;
}

export function isAccessLogLine(output: string): boolean {
  return output.startsWith('{') && output.includes(`"${marker}":`);
}

/** Throws if the line is not one of the twin's access log. */
export function assertAccessLogLine(
  output: string,
  backends: ReadonlyMap<number, TwinBackend>,
): ObservedRequest {
  const { route, chosen, cluster, host, status, grpcStatus, flags, details, filterChain } = line.parse(
    JSON.parse(output),
  );
  const backend = backends.get(Number(host.split(':').at(-1)));
  return {
    ...(status !== '' && status !== '0' && { status: Number(status) }),
    ...(grpcStatus !== '' && { grpcCode: grpcStatus }),
    ...(flags !== '' && { flag: flags }),
    ...(details !== '' && { details }),
    ...(filterChain !== '' && { filterChain }),
    ...(chosen && { virtualHost: chosen.virtualHost, routePath: chosen.route, routeName: route }),
    ...(cluster !== '' && { cluster }),
    ...(backend && { backend }),
  };
}
