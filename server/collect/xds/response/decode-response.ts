import { messageOf } from '@/lib/format/message-of';
import { readTypeUrl } from '@/lib/xds/v2-types';
import type { DiscoveryDocument } from '../../../codec/codec';
import { messageType } from '../../../codec/root';
import type { ResourceError, ResponseEnvelope, WireResource } from './response-envelope';
import { type SplitResponse, splitResponse } from './split-response';

export type EnvelopeResult =
  | { readonly kind: 'envelope'; readonly envelope: ResponseEnvelope }
  | { readonly kind: 'unreadable'; readonly reason: string };

interface DecodeAs {
  readonly isDelta: boolean;
  /** The type of a stream of one type, whose responses may omit it; null for an aggregated stream. */
  readonly typeUrl: string | null;
  /** The version of the stream, for a response without a type. */
  readonly apiVersion: 'v3' | 'v2';
}

interface ResourceNameFields {
  readonly name?: string;
}

interface ResourceErrorFields {
  readonly resourceName?: ResourceNameFields | null;
  readonly errorDetail?: { readonly code?: number; readonly message?: string } | null;
}

/** The fields of DiscoveryResponse and DeltaDiscoveryResponse as protobufjs decodes them. */
interface ResponseFields {
  readonly versionInfo?: string;
  readonly systemVersionInfo?: string;
  readonly typeUrl?: string;
  readonly nonce?: string;
  readonly controlPlane?: { readonly identifier?: string } | null;
  readonly removedResources?: readonly string[];
  readonly removedResourceNames?: readonly ResourceNameFields[];
  readonly resourceErrors?: readonly ResourceErrorFields[];
}

const aggregatedSotw: DecodeAs = { isDelta: false, typeUrl: null, apiVersion: 'v3' };

/** Decodes the envelope without the resources; 100,000 of them take 20 ms. v2 responses have the same field numbers. */
export function decodeEnvelope(message: Uint8Array, as: DecodeAs = aggregatedSotw): EnvelopeResult {
  return decodeSplit(splitResponse(asBuffer(message), as.isDelta), message.length, as);
}

/** Decodes the envelope of a split response, or returns undefined if it could not be split. */
export function decodeSplit(
  split: SplitResponse | undefined,
  sizeBytes: number,
  as: DecodeAs,
): EnvelopeResult {
  const name = as.isDelta ? 'DeltaDiscoveryResponse' : 'DiscoveryResponse';
  const unreadable = (why: string): EnvelopeResult => {
    const got = `${sizeBytes} bytes that do not decode`;
    return { kind: 'unreadable', reason: `expected a ${name}, got ${got}${why}` };
  };
  if (split === undefined) return unreadable('');
  let fields: ResponseFields;
  try {
    fields = messageType(`envoy.service.discovery.v3.${name}`).decode(split.rest) as ResponseFields;
  } catch (error) {
    return unreadable(`: ${messageOf(error)}`);
  }
  const { resources } = split;
  const { removedResources = [], removedResourceNames = [], resourceErrors = [] } = fields;
  const stated = fields.typeUrl ?? '';
  const sent = stated === '' ? { typeUrl: as.typeUrl ?? '', apiVersion: as.apiVersion } : readTypeUrl(stated);
  const isOtherType = as.typeUrl !== null && sent.typeUrl !== as.typeUrl;
  return {
    kind: 'envelope',
    envelope: {
      isDelta: as.isDelta,
      apiVersion: sent.apiVersion === 'v2' || isV2(resources.at(0)) ? 'v2' : 'v3',
      typeUrl: as.typeUrl ?? sent.typeUrl,
      versionInfo: (as.isDelta ? fields.systemVersionInfo : fields.versionInfo) ?? '',
      nonce: fields.nonce ?? '',
      controlPlane: fields.controlPlane?.identifier ?? '',
      sizeBytes,
      resources,
      removedResources: [
        ...new Set([...removedResources, ...removedResourceNames.map((each) => each.name ?? '')]),
      ],
      resourceErrors: resourceErrors.map(readResourceError),
      problems: isOtherType ? [`type_url: expected "${as.typeUrl}", the stream's, got "${stated}"`] : [],
    },
  };
}

/** Builds the envelope of a response in JSON, YAML or text. Unreadable resources keep their places. */
export function toEnvelope(document: DiscoveryDocument, as: DecodeAs, sizeBytes: number): EnvelopeResult {
  const result = decodeEnvelope(document.message, as);
  if (result.kind === 'unreadable') return result;
  const resources = [...result.envelope.resources];
  for (const { index, name, reason } of document.unreadable)
    resources[index] = { unreadable: { name, reason } };
  return { kind: 'envelope', envelope: { ...result.envelope, sizeBytes, resources, notes: document.notes } };
}

function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** The first resource decides; each entry also has its own version. */
function isV2(first: WireResource | undefined): boolean {
  return readTypeUrl(first?.resource?.type_url ?? first?.type_url ?? '').apiVersion === 'v2';
}

function readResourceError({ resourceName, errorDetail }: ResourceErrorFields): ResourceError {
  return {
    name: resourceName?.name ?? '',
    code: errorDetail?.code ?? 0,
    message: errorDetail?.message ?? '',
  };
}
