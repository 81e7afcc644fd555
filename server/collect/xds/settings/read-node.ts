import { isIP } from 'node:net';
import { type ProbeChoices, shownInput } from '@/lib/views/sources/schema';
import type { ProbeNode } from '../../../transport/bootstrap/probe-node';
import { SettingError } from '../../source-kind/setting-error';

type NodeChoices = Pick<
  ProbeChoices,
  'nodePreset' | 'nodeId' | 'nodeCluster' | 'nodeLocality' | 'nodeMetadata'
>;

/** The node that the settings state; what they leave out is that of `usual`. Throws SettingError. */
export function readNode(
  { nodePreset, nodeId, nodeCluster, nodeLocality, nodeMetadata }: NodeChoices,
  usual: ProbeNode,
  where: string,
): ProbeNode {
  const preset = nodePreset === undefined ? {} : readPreset(nodePreset, `${where}nodePreset`);
  const node = { ...usual, ...preset };
  return {
    id: nodeId ?? node.id,
    cluster: nodeCluster ?? node.cluster,
    locality: nodeLocality === undefined ? node.locality : readLocality(nodeLocality, `${where}nodeLocality`),
    metadata: { ...node.metadata, ...readMetadata(nodeMetadata, `${where}nodeMetadata`) },
  };
}

/** "REGION/ZONE/SUB_ZONE"; the last two may be absent. */
function readLocality(text: string, field: string): NonNullable<ProbeNode['locality']> {
  const [region = '', zone = '', subZone = '', ...more] = text.split('/');
  if (more.length === 0) return { region, zone, subZone };
  throw new SettingError(field, `expected REGION/ZONE/SUB_ZONE, got ${JSON.stringify(text)}`);
}

function readMetadata(stated: NodeChoices['nodeMetadata'], field: string): object {
  if (typeof stated !== 'string') return stated ?? {};
  const parsed: unknown = readJson(stated);
  if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed;
  throw new SettingError(field, `expected the JSON of an object, got ${shownInput(stated)}`);
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const forms = 'istio:NAME.NAMESPACE, istio-grpc:NAME.NAMESPACE or envoy-gateway:NAMESPACE/GATEWAY';

/**
 * The node by which a control plane recognizes its clients. Istio: an id of four parts with a valid IP address, and the
 * namespace in the metadata; proxyless gRPC clients have the generator "grpc". Envoy Gateway: the gateway as `cluster`.
 */
function readPreset(preset: string, field: string): Partial<ProbeNode> {
  const fail = (): SettingError =>
    new SettingError(field, `expected ${forms}, got ${JSON.stringify(preset)}`);
  const [, kind = '', name = '', address = defaultAddress] =
    /^([a-z-]+):([^@]+)(?:@(.+))?$/.exec(preset) ?? [];
  if (kind === 'envoy-gateway') {
    if (!/^[^/\s]+\/[^/\s]+$/.test(name)) throw fail();
    return { cluster: name };
  }
  const [, workload, namespace] = /^([^~\s]+)\.([^.~\s]+)$/.exec(name) ?? [];
  if (!kind.startsWith('istio') || workload === undefined || namespace === undefined || isIP(address) === 0)
    throw fail();
  const id = `sidecar~${address}~${name}~${namespace}.svc.cluster.local`;
  switch (kind) {
    case 'istio':
      return { id, metadata: { NAMESPACE: namespace } };
    case 'istio-grpc':
      return { id, metadata: { NAMESPACE: namespace, GENERATOR: 'grpc' } };
    default:
      throw fail();
  }
}

/** istiod takes the address of the proxy for its inbound listeners. */
const defaultAddress = '127.0.0.1';
