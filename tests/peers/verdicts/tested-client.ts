import { CDS, EDS, LDS, RDS, SDS } from '@/lib/xds/resource-type';
import { encodeBody } from '@/server/codec/encode-body';
import { freePort } from '../../support/free-port';
import { startEnvoyProcess } from '../envoy/start';
import { Mesh, services } from '../mesh';
import { bootstrapOf } from '../nack-texts/bootstrap';
import { validResources } from '../nack-texts/cases';
import type { ClientPeer, Flavor, Prepared, RunningClient } from '../peer';
import type { Answered } from './answer';
import { AnsweringServer, type FixedResources, type OtherResource } from './answering-server';

/** A client that has requested the tested type. */
export interface Tested {
  /** The name of the resources that it is to be served. */
  readonly name: string;
  /** `beside`: resources of other types in the same response. */
  ask(bytes: Uint8Array, beside?: readonly OtherResource[]): Promise<Answered>;
  ended(): string | undefined;
  stop(): Promise<void>;
}

interface Names {
  /** The name of the tested resource, by type URL. */
  readonly tested: Readonly<Record<string, string>>;
  /** Every cluster that an Envoy has. */
  readonly clusters?: ReadonlySet<string>;
}

const ofMesh: Names = {
  tested: {
    [LDS.typeUrl]: 'svc-a',
    [RDS.typeUrl]: 'routes-a',
    [CDS.typeUrl]: 'cluster-a',
    [EDS.typeUrl]: 'cluster-a',
  },
};
/** The Envoy is that of nack-texts, with a subscription of each type. */
const ofEnvoy: Names = {
  tested: {
    [LDS.typeUrl]: 'odd',
    [RDS.typeUrl]: 'routes',
    [CDS.typeUrl]: 'odd',
    [EDS.typeUrl]: 'endpoints',
    [SDS.typeUrl]: 'authority',
  },
  clusters: new Set(['management-server', 'plain', 'endpoints']),
};

/**
 * A target whose name is the domain of the tables' route configurations, because grpc-js-xds reads patterns only in the
 * virtual host of its target.
 */
const targetOfRoutes = 'a';

export function namesOf(flavor: Flavor): Names {
  return flavor === 'envoy' ? ofEnvoy : ofMesh;
}

/** `isServer`: the peer is an xDS-enabled server, which requests the Listener of its address. */
export async function startTested(
  peer: ClientPeer,
  prepared: Prepared,
  { typeUrl, isServer, workDir }: { typeUrl: string; isServer: boolean; workDir: string },
): Promise<Tested> {
  const fixed = peer.flavor === 'envoy' ? fixedOfEnvoy(typeUrl) : fixedOfGrpc(typeUrl);
  // An Envoy that replaces a cluster awaits its endpoints before it answers CDS.
  const repeated = peer.flavor === 'envoy' && typeUrl === CDS.typeUrl ? [EDS.typeUrl] : [];
  const server = new AnsweringServer(typeUrl, fixed, repeated);
  const address = `127.0.0.1:${await server.listen()}`;
  const client = await start();
  if (isServer) client.serve?.(`127.0.0.1:${await freePort()}`);
  const requested = await server.ready();
  return {
    name: (isServer ? requested[0] : namesOf(peer.flavor).tested[typeUrl]) ?? '',
    ask: (bytes, beside) => server.ask(bytes, client.ended, beside),
    ended: client.ended,
    async stop() {
      await client.stop();
      server.close();
    },
  };

  function start(): Promise<Pick<RunningClient, 'serve' | 'ended' | 'stop'>> {
    if (peer.flavor === 'envoy')
      return startEnvoyProcess(prepared, workDir, (adminPort) => bootstrapOf(address, adminPort));
    const target = typeUrl === RDS.typeUrl ? targetOfRoutes : 'svc-a';
    return peer.start(prepared, {
      ...{ nodeId: 'verdicts', servers: [address], serverFeatures: [], protocol: 'sotw', workDir },
      ...{ listenerPorts: {}, targets: isServer ? [] : [`xds:///${target}`] },
    });
  }
}

/**
 * Envoy requests clusters when it has its static endpoints, and listeners when it has clusters. It answers CDS when the
 * endpoints of every cluster have arrived.
 */
function fixedOfEnvoy(tested: string): FixedResources {
  return (typeUrl, names) => {
    if (typeUrl === tested) return undefined;
    if (typeUrl === CDS.typeUrl || typeUrl === LDS.typeUrl) return [];
    const valid = validResources.find((each) => each.typeUrl === typeUrl);
    if (valid === undefined) return undefined;
    if (typeUrl !== EDS.typeUrl) return [encodeBody(typeUrl, valid.resource)];
    return names.map((clusterName) => encodeBody(typeUrl, { ...valid.resource, clusterName }));
  };
}

/**
 * Returns the resources that lead to one of the tested type and, so that a client uses a listener or a route
 * configuration, any cluster with endpoints to which that leads.
 */
function fixedOfGrpc(tested: string): FixedResources {
  const mesh = new Mesh({ flavor: 'grpc', backendPort: 9, listenerPorts: {} });
  const order = ['LDS', 'RDS', 'CDS', 'EDS'] as const;
  const before = order.slice(
    0,
    order.findIndex((service) => services[service].typeUrl === tested),
  );
  const isOfRoutes = tested === LDS.typeUrl || tested === RDS.typeUrl;
  return (typeUrl, names) => {
    if (isOfRoutes && typeUrl === CDS.typeUrl)
      return names.map((name) =>
        encodeBody(typeUrl, { name, type: 'EDS', edsClusterConfig: { edsConfig: { ads: {} } } }),
      );
    if (isOfRoutes && typeUrl === EDS.typeUrl)
      return names.map((clusterName) => encodeBody(typeUrl, assignmentOf(clusterName)));
    const service = before.find((each) => services[each].typeUrl === typeUrl);
    const resources = service && mesh.resources(service).map(({ bytes }) => bytes);
    if (tested !== RDS.typeUrl || typeUrl !== LDS.typeUrl) return resources;
    // The last value of a field that occurs twice counts.
    const name = encodeBody(typeUrl, { name: targetOfRoutes });
    return resources?.slice(0, 1).map((bytes) => Buffer.concat([bytes, name]));
  };
}

function assignmentOf(clusterName: string): object {
  const address = { socketAddress: { address: '127.0.0.1', portValue: 9 } };
  const locality = { region: 'here' };
  return {
    clusterName,
    endpoints: [{ locality, loadBalancingWeight: 1, lbEndpoints: [{ endpoint: { address } }] }],
  };
}
