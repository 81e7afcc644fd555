import { readTypeUrl } from '@/lib/xds/v2-types';
import { messageType } from '../codec/root';
import type { ResourceError, ResponseEnvelope, WireResource } from './response-envelope';

export type EnvelopeResult =
  | { readonly kind: 'envelope'; readonly envelope: ResponseEnvelope }
  | { readonly kind: 'unreadable'; readonly reason: string };

export interface DecodeAs {
  readonly isDelta: boolean;
  /** Of the stream, where a stream has one type: servers may leave it out of such responses. */
  readonly typeUrl: string | null;
  /** Of the stream, for a response that does not tell. */
  readonly apiVersion: 'v3' | 'v2';
}

interface ResourceNameFields {
  readonly name?: string;
}

interface ResourceErrorFields {
  readonly resourceName?: ResourceNameFields | null;
  readonly errorDetail?: { readonly code?: number; readonly message?: string } | null;
}

/** DiscoveryResponse and DeltaDiscoveryResponse as protobufjs decodes them; what the one lacks is absent. */
interface ResponseFields {
  readonly versionInfo?: string;
  readonly systemVersionInfo?: string;
  readonly resources?: readonly WireResource[];
  readonly typeUrl?: string;
  readonly nonce?: string;
  readonly controlPlane?: { readonly identifier?: string } | null;
  readonly removedResources?: readonly string[];
  readonly removedResourceNames?: readonly ResourceNameFields[];
  readonly resourceErrors?: readonly ResourceErrorFields[];
}

const aggregatedSotw: DecodeAs = { isDelta: false, typeUrl: null, apiVersion: 'v3' };

/** The envelope alone: about 1 ms per thousand resources. v2 responses have the same field numbers. */
export function decodeEnvelope(message: Uint8Array, as: DecodeAs = aggregatedSotw): EnvelopeResult {
  const name = as.isDelta ? 'DeltaDiscoveryResponse' : 'DiscoveryResponse';
  let fields: ResponseFields;
  try {
    fields = messageType(`envoy.service.discovery.v3.${name}`).decode(message) as ResponseFields;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return {
      kind: 'unreadable',
      reason: `expected a ${name}, got ${message.length} bytes that do not decode: ${reason}`,
    };
  }
  const { resources = [], removedResources = [], removedResourceNames = [], resourceErrors = [] } = fields;
  const stated = fields.typeUrl ?? '';
  const spoken =
    stated === '' ? { typeUrl: as.typeUrl ?? '', apiVersion: as.apiVersion } : readTypeUrl(stated);
  const isOtherType = as.typeUrl !== null && spoken.typeUrl !== as.typeUrl;
  return {
    kind: 'envelope',
    envelope: {
      isDelta: as.isDelta,
      apiVersion: spoken.apiVersion === 'v2' || resources.some(isV2) ? 'v2' : 'v3',
      typeUrl: as.typeUrl ?? spoken.typeUrl,
      versionInfo: (as.isDelta ? fields.systemVersionInfo : fields.versionInfo) ?? '',
      nonce: fields.nonce ?? '',
      controlPlane: fields.controlPlane?.identifier ?? '',
      sizeBytes: message.length,
      resources,
      removedResources: [
        ...new Set([...removedResources, ...removedResourceNames.map((each) => each.name ?? '')]),
      ],
      resourceErrors: resourceErrors.map(readResourceError),
      problems: isOtherType ? [`type_url: expected "${as.typeUrl}", the stream's, got "${stated}"`] : [],
    },
  };
}

/** The cheap look comes first: there may be 100,000. */
function isV2({ type_url: outer, resource }: WireResource): boolean {
  const typeUrl = resource?.type_url ?? outer ?? '';
  return typeUrl.includes('.v2.') && readTypeUrl(typeUrl).apiVersion === 'v2';
}

function readResourceError({ resourceName, errorDetail }: ResourceErrorFields): ResourceError {
  return {
    name: resourceName?.name ?? '',
    code: errorDetail?.code ?? 0,
    message: errorDetail?.message ?? '',
  };
}
