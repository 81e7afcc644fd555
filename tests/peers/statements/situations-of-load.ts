import { CDS, EDS, LDS } from '@/lib/xds/resource-type';
import type { MeshResource } from '../../support/builders/topology-mesh';
import {
  cluster,
  edsFrom,
  endpoint,
  fixed,
  heldPath,
  inline,
  listener,
  over,
  route,
  type Situation,
  type Tools,
  toA,
} from './situation';

/** A cluster whose load an Envoy reports: requests to `/NAME` lead to it. */
export interface LoadSituation {
  readonly name: string;
  readonly title: string;
  /** The ports of the endpoints of each zone. */
  readonly zones: readonly (readonly number[])[];
  /** The load reports of this version do not count the requests (measured), so that the views lack how they end. */
  readonly notCountedBy?: string;
}

/** Situations of which only the load reports show how requests end. */
export function loadSituations(port: (backend: string) => number): LoadSituation[] {
  const [good, bad, closed] = [port('good'), port('bad'), port('closed')];
  return [
    { name: 'healthy', title: 'load: two endpoints that answer', zones: [[good, port('fine')]] },
    { name: 'sick', title: 'load: every endpoint answers with 500', zones: [[bad, bad]] },
    {
      name: 'zone',
      title: 'load: every endpoint of one of two zones answers with 500',
      zones: [[bad, bad], [good]],
    },
    {
      name: 'closed',
      title: 'load: the only endpoint accepts no connection',
      zones: [[closed]],
      notCountedBy: '1.36.2',
    },
  ];
}

/** Situations of which the requests in flight decide the outcome. */
export function situationsOfLimits(tools: Tools): Situation[] {
  const limitedTo = (limits: object) => ({
    ...fixed('a', [tools.port('good')]),
    circuit_breakers: { thresholds: [limits] },
  });
  // A request that is held has no timeout.
  const held = {
    held: { ...toA, path: heldPath },
    listeners: [listener('web', tools.port('web'), inline(route('/', 'a', { timeout: '0s' })))],
  };
  return [
    {
      ...over(tools, 'a request in flight that reaches max_requests', limitedTo({ max_requests: 1 })),
      ...held,
    },
    {
      ...over(
        tools,
        'a connection in use that reaches max_connections, and no pending request allowed',
        limitedTo({ max_connections: 1, max_pending_requests: 0 }),
      ),
      ...held,
    },
    over(tools, 'a limit that requests one by one do not exceed', limitedTo({ max_requests: 1 })),
  ];
}

const ads = { ads: {}, resource_api_version: 'V3' };

/** The resources of a management server with all of these clusters, and the listener `web` that leads to them. */
export function resourcesOf(situations: readonly LoadSituation[], web: number): MeshResource[] {
  const routes = situations.map(({ name }) => route(`/${name}`, name));
  return [
    { typeUrl: LDS.typeUrl, name: 'web', body: listener('web', web, inline(...routes)) },
    ...situations.flatMap(({ name, zones }) => [
      { typeUrl: CDS.typeUrl, name, body: cluster(name, edsFrom(ads)) },
      {
        ...{ typeUrl: EDS.typeUrl, name },
        body: {
          cluster_name: name,
          endpoints: zones.map((ports, at) => ({
            locality: { region: 'here', zone: `zone-${at}` },
            lb_endpoints: ports.map((each) => endpoint(each)),
          })),
        },
      },
    ]),
  ];
}
