import type { DiscoveryMethod } from '@/lib/xds/discovery-methods';
import { findV2TypeUrl } from '@/lib/xds/v2-types';
import type { DeltaPlan } from './delta-state';
import { encode } from './discovery-messages';
import type { ServedError, StoredResource } from './snapshot-store';
import type { SotwPlan } from './sotw-state';

export interface ResponseHead {
  readonly method: DiscoveryMethod;
  readonly typeUrl: string;
  readonly versionInfo: string;
  readonly nonce: string;
  readonly omitsTypeUrl: boolean;
  readonly identifier: string;
}

const wrapperTypeUrl = 'type.googleapis.com/envoy.service.discovery.v3.Resource';

/** Resources for which `wraps` returns true are each wrapped in a Resource. */
export function encodeSotwResponse(
  head: ResponseHead,
  { resources, errors }: SotwPlan,
  wraps: (resource: StoredResource) => boolean,
): Buffer {
  return encodeSotw(
    head,
    resources.map((each) => (wraps(each) ? wrappedAny(head, wrapperOf(head, each)) : anyOf(head, each))),
    errors,
  );
}

export function encodeDeltaResponse(head: ResponseHead, { resources, removed, errors }: DeltaPlan): Buffer {
  return encodeDelta(head, {
    resources: resources.map((each) => wrapperOf(head, each)),
    removedResources: removed,
    resourceErrors: errors.map(errorOf),
  });
}

/** A resource with a time to live is sent as name, version and that time, which means unchanged; others whole. */
export function encodeHeartbeats(head: ResponseHead, resources: readonly StoredResource[]): Buffer {
  if (head.method.isDelta) return encodeDelta(head, { resources: resources.map(heartbeatOf) });
  return encodeSotw(
    head,
    resources.map((each) =>
      each.ttlMs === undefined ? anyOf(head, each) : wrappedAny(head, heartbeatOf(each)),
    ),
    [],
  );
}

/** Encodes like istiod for its debug types: the identifier is present only with the sync status, as JSON. */
export function encodeDebugResponse(typeUrl: string, nonce: string, resources: readonly object[]): Buffer {
  const instance = { Component: 'istiod', ID: 'xdscope-lab', Info: { version: 'xdscope-lab' } };
  return encode('envoy.service.discovery.v3.DiscoveryResponse', {
    typeUrl,
    nonce,
    ...(typeUrl.endsWith('/syncz') && { controlPlane: { identifier: JSON.stringify(instance) } }),
    resources,
  });
}

function encodeSotw(
  head: ResponseHead,
  resources: readonly object[],
  errors: readonly ServedError[],
): Buffer {
  const { versionInfo, nonce } = head;
  const controlPlane = { identifier: head.identifier };
  const fields = { versionInfo, nonce, ...typeUrlOf(head), controlPlane };
  const resourceErrors = errors.map(errorOf);
  return encode('envoy.service.discovery.v3.DiscoveryResponse', { ...fields, resources, resourceErrors });
}

function encodeDelta(head: ResponseHead, fields: Record<string, unknown>): Buffer {
  const { versionInfo: systemVersionInfo, nonce } = head;
  return encode('envoy.service.discovery.v3.DeltaDiscoveryResponse', {
    systemVersionInfo,
    nonce,
    ...typeUrlOf(head),
    controlPlane: { identifier: head.identifier },
    ...fields,
  });
}

function typeUrlOf(head: ResponseHead): { typeUrl?: string } {
  return head.omitsTypeUrl ? {} : { typeUrl: typeUrlFor(head, head.typeUrl) };
}

/** Type URLs are converted to v2 on a v2 stream. */
function typeUrlFor({ method }: ResponseHead, typeUrl: string): string {
  return method.apiVersion === 'v2' ? (findV2TypeUrl(typeUrl) ?? typeUrl) : typeUrl;
}

/** google.protobuf.Any; protobufjs requires this spelling of the field. */
function anyOf(head: ResponseHead, { typeUrl, bytes }: StoredResource): object {
  return { type_url: typeUrlFor(head, typeUrl), value: bytes };
}

function wrapperOf(head: ResponseHead, resource: StoredResource): Record<string, unknown> {
  const { aliases = [] } = resource;
  return { ...heartbeatOf(resource), aliases, resource: anyOf(head, resource) };
}

function heartbeatOf({ name, version, ttlMs }: StoredResource): Record<string, unknown> {
  return { name, version, ...(ttlMs === undefined ? {} : { ttl: durationOf(ttlMs) }) };
}

function wrappedAny(head: ResponseHead, wrapper: Record<string, unknown>): object {
  const value = encode('envoy.service.discovery.v3.Resource', wrapper);
  return { type_url: typeUrlFor(head, wrapperTypeUrl), value };
}

function durationOf(ms: number): { seconds: number; nanos: number } {
  const seconds = Math.floor(ms / 1000);
  return { seconds, nanos: Math.round((ms - seconds * 1000) * 1e6) };
}

function errorOf({ name, code, message }: ServedError): object {
  return { resourceName: { name }, errorDetail: { code, message } };
}
