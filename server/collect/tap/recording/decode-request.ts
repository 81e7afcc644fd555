import { messageOf } from '@/lib/format/message-of';
import { readTypeUrl } from '@/lib/xds/v2-types';
import { removeField } from '../../../codec/remove-field';
import { messageType } from '../../../codec/root';

/** The fields of a DiscoveryRequest or DeltaDiscoveryRequest. Fields of the other variant are empty. */
export interface ObservedRequest {
  /** Null if the client omitted it, as it may after the first request, or if it was not to be decoded. */
  readonly node: object | null;
  /** The v3 type URL. */
  readonly typeUrl: string;
  /** State of the world: the last version that the client accepted. */
  readonly versionInfo: string;
  readonly responseNonce: string;
  /** State of the world: all wanted names. Delta: resource_names_subscribe. */
  readonly resourceNames: readonly string[];
  readonly unsubscribedNames: readonly string[];
  /** Delta: initial_resource_versions, by name. */
  readonly initialVersions: ReadonlyMap<string, string>;
  /** Null unless the request is a NACK. */
  readonly errorDetail: string | null;
  /** The gRPC status code of the NACK; 0 if there is none. */
  readonly errorCode: number;
  /**
   * True for a poll of REST without response_nonce, whose version_info shows which response it answers, or without
   * error_detail. If it is a rejection, `errorDetail` states the evidence.
   */
  readonly isInferred?: boolean;
}

export type DecodedRequest =
  | { readonly kind: 'request'; readonly request: ObservedRequest }
  | { readonly kind: 'unreadable'; readonly reason: string };

interface ResourceLocatorFields {
  readonly name?: string;
}
interface RequestFields {
  readonly node?: object | null;
  readonly typeUrl?: string;
  readonly versionInfo?: string;
  readonly responseNonce?: string;
  readonly resourceNames?: readonly string[];
  readonly resourceLocators?: readonly ResourceLocatorFields[];
  readonly resourceNamesSubscribe?: readonly string[];
  readonly resourceNamesUnsubscribe?: readonly string[];
  readonly resourceLocatorsSubscribe?: readonly ResourceLocatorFields[];
  readonly resourceLocatorsUnsubscribe?: readonly ResourceLocatorFields[];
  readonly initialResourceVersions?: Readonly<Record<string, string>>;
  readonly errorDetail?: { readonly code?: number; readonly message?: string } | null;
}

interface RequestFormat {
  readonly isDelta: boolean;
  /** The type of a stream of one type, whose requests may omit it. */
  readonly typeUrl: string | null;
  /** Envoy sends its node with every request by default, and its list of extensions is larger than all other fields. */
  readonly withNode: boolean;
}

/** v2 has the same field numbers. */
export function decodeRequest(
  message: Uint8Array,
  { isDelta, typeUrl, withNode }: RequestFormat,
): DecodedRequest {
  const name = isDelta ? 'DeltaDiscoveryRequest' : 'DiscoveryRequest';
  let fields: RequestFields;
  try {
    fields = messageType(`envoy.service.discovery.v3.${name}`).decode(
      withNode ? message : removeField(message, isDelta ? 1 : 2),
    ) as RequestFields;
  } catch (error) {
    return {
      kind: 'unreadable',
      reason: `expected a ${name}, got ${message.length} bytes: ${messageOf(error)}`,
    };
  }
  const stated = fields.typeUrl ?? '';
  return {
    kind: 'request',
    request: {
      node: fields.node ?? null,
      typeUrl: stated === '' ? (typeUrl ?? '') : readTypeUrl(stated).typeUrl,
      versionInfo: fields.versionInfo ?? '',
      responseNonce: fields.responseNonce ?? '',
      resourceNames: isDelta
        ? namesOf(fields.resourceNamesSubscribe, fields.resourceLocatorsSubscribe)
        : namesOf(fields.resourceNames, fields.resourceLocators),
      unsubscribedNames: namesOf(fields.resourceNamesUnsubscribe, fields.resourceLocatorsUnsubscribe),
      initialVersions: new Map(Object.entries(fields.initialResourceVersions ?? {})),
      errorDetail: fields.errorDetail ? (fields.errorDetail.message ?? '') : null,
      errorCode: fields.errorDetail?.code ?? 0,
    },
  };
}

function namesOf(
  names: readonly string[] | undefined,
  locators: readonly ResourceLocatorFields[] | undefined,
): readonly string[] {
  const located = locators ?? [];
  return located.length === 0 ? (names ?? []) : [...(names ?? []), ...located.map(({ name }) => name ?? '')];
}
