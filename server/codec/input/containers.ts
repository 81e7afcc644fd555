import type protobuf from 'protobufjs';
import { messageNameOf, resourceTypes } from '@/lib/xds/resource-type';
import { findMessageType } from '../root';

/** The outermost message of a document: one resource, or one of the messages that contain resources. */
export type DocumentKind =
  | 'resource'
  | 'resources'
  | 'discovery-response'
  | 'config-dump'
  | 'client-status'
  | 'bootstrap'
  | 'other';

const kinds: readonly (readonly [RegExp, DocumentKind])[] = [
  [/^envoy\.service\.discovery\.v3\.(?:Delta)?DiscoveryResponse$/, 'discovery-response'],
  [/^envoy\.service\.discovery\.v3\.Resource$/, 'resources'],
  [/^envoy\.service\.status\.v3\./, 'client-status'],
  [/^envoy\.config\.bootstrap\.v3\.Bootstrap$/, 'bootstrap'],
  [/^envoy\.admin\.v3\.\w*Dump(?:\.\w+)?$/, 'config-dump'],
];

/** Returns undefined for a type that is not a container of resources. */
export function findContainerKind(type: protobuf.Type): DocumentKind | undefined {
  const name = type.fullName.slice(1);
  return kinds.find(([pattern]) => pattern.test(name))?.[1];
}

const resourceNames = new Set(resourceTypes.map(({ typeUrl }) => messageNameOf(typeUrl)));

export function isResourceType(type: protobuf.Type): boolean {
  return resourceNames.has(type.fullName.slice(1));
}

/** Full names, in the order in which a document of unknown type is tried as these types. */
export const containerNames = [
  'envoy.service.discovery.v3.DiscoveryResponse',
  'envoy.service.discovery.v3.DeltaDiscoveryResponse',
  'envoy.service.status.v3.ClientStatusResponse',
  'envoy.admin.v3.ConfigDump',
  'envoy.config.bootstrap.v3.Bootstrap',
];

/** Returns undefined if the type is unknown or no container of resources. */
export function findContainerType(typeUrl: string): protobuf.Type | undefined {
  const type = findMessageType(typeUrl);
  return type !== undefined && findContainerKind(type) !== undefined ? type : undefined;
}
