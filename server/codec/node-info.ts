import type { NodeInfo } from '@/lib/observation/observation';
import { canonicalWire } from './canonical-wire';
import { decodeBody } from './decode-body';
import { messageType } from './root';

/** envoy.config.core.v3.Node as protobufjs decodes it. Unset fields are absent or have their default. */
interface NodeMessage {
  id?: string;
  cluster?: string;
  metadata?: object | null;
  locality?: { region?: string; zone?: string; subZone?: string } | null;
  userAgentName?: string;
  userAgentVersion?: string;
  userAgentBuildVersion?: {
    version?: { majorNumber?: number; minorNumber?: number; patch?: number } | null;
  } | null;
  clientFeatures?: string[];
}

export const unknownNode: NodeInfo = {
  id: '',
  cluster: '',
  locality: null,
  userAgentName: '',
  userAgentVersion: '',
  clientFeatures: [],
  metadata: {},
};

/** Converts a decoded Node and redacts the secrets in its metadata and texts. */
export function readNodeInfo(node: object | null | undefined, redactNode: <T>(json: T) => T): NodeInfo {
  if (node === null || node === undefined) return unknownNode;
  const message: NodeMessage = node;
  const { locality } = message;
  const build = message.userAgentBuildVersion?.version;
  return redactNode({
    id: message.id ?? '',
    cluster: message.cluster ?? '',
    locality: locality
      ? { region: locality.region ?? '', zone: locality.zone ?? '', subZone: locality.subZone ?? '' }
      : null,
    userAgentName: message.userAgentName ?? '',
    userAgentVersion:
      message.userAgentVersion ||
      (build ? `${build.majorNumber ?? 0}.${build.minorNumber ?? 0}.${build.patch ?? 0}` : ''),
    clientFeatures: [...(message.clientFeatures ?? [])],
    metadata: readStruct(message.metadata),
  });
}

function readStruct(struct: object | null | undefined): Record<string, unknown> {
  if (struct === null || struct === undefined) return {};
  const type = 'google.protobuf.Struct';
  const bytes = canonicalWire(type, messageType(type).encode(struct).finish());
  const { json } = decodeBody(type, bytes);
  return typeof json === 'object' && json !== null ? { ...json } : {};
}
