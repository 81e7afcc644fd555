import type protobuf from 'protobufjs';
import { CDS, ECDS, EDS, LDS, messageNameOf, RDS, resourceTypes, SDS, SRDS } from '@/lib/xds/resource-type';
import { findMessageType } from '../root';
import type { DocumentKind } from './input';

const kinds: readonly (readonly [RegExp, DocumentKind])[] = [
  [/^envoy\.service\.discovery\.v3\.(?:Delta)?DiscoveryResponse$/, 'discovery-response'],
  [/^envoy\.service\.discovery\.v3\.Resource$/, 'resources'],
  [/^envoy\.service\.status\.v3\./, 'client-status'],
  [/^envoy\.config\.bootstrap\.v3\.Bootstrap$/, 'bootstrap'],
  [/^envoy\.admin\.v3\.\w*Dump(?:\.\w+)?$/, 'config-dump'],
];

/** What a document of this type is; undefined for a type that is no container of resources. */
export function findContainerKind(type: protobuf.Type): DocumentKind | undefined {
  const name = type.fullName.slice(1);
  return kinds.find(([pattern]) => pattern.test(name))?.[1];
}

const resourceNames = new Set(resourceTypes.map(({ typeUrl }) => messageNameOf(typeUrl)));

/** A message of this type, in a container, is a resource. */
export function isResourceType(type: protobuf.Type): boolean {
  return resourceNames.has(type.fullName.slice(1));
}

const typesOfFields: Readonly<Record<string, string>> = {
  listener: LDS.typeUrl,
  cluster: CDS.typeUrl,
  routeConfig: RDS.typeUrl,
  scopedRouteConfigs: SRDS.typeUrl,
  endpointConfig: EDS.typeUrl,
  secret: SDS.typeUrl,
  ecdsFilter: ECDS.typeUrl,
};

/** Envoy's dumps of before v3 had no Any: the field's name says of which type its value is. */
export function typeUrlOfField(name: string): string | undefined {
  return typesOfFields[name];
}

/** A full name for a container, in the order in which they are tried where nothing else reports. */
export const containerNames = [
  'envoy.service.discovery.v3.DiscoveryResponse',
  'envoy.service.discovery.v3.DeltaDiscoveryResponse',
  'envoy.service.status.v3.ClientStatusResponse',
  'envoy.admin.v3.ConfigDump',
  'envoy.config.bootstrap.v3.Bootstrap',
];

/** An Any in a container: of another container, or a resource. */
export function findContainerType(typeUrl: string): protobuf.Type | undefined {
  const type = findMessageType(typeUrl);
  return type !== undefined && findContainerKind(type) !== undefined ? type : undefined;
}
