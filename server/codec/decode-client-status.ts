import type protobuf from 'protobufjs';
import { messageOf } from '@/lib/format/message-of';
import type { NodeInfo } from '@/lib/observation/observation';
import type { TypeVersion } from '@/lib/observation/resource-state';
import { readTypeUrl } from '@/lib/xds/v2-types';
import type { Body } from '../observe';
import { CodecError } from './codec-error';
import { DistinctNames, orderDuplicates } from './distinct-names';
import { LenientReader } from './keeping-reader';
import { readNodeInfo } from './node-info';
import { readPerXdsConfigs } from './per-xds-config';
import { redactJson } from './redact-json';
import type { RedactionMarker } from './redaction-marker';
import {
  bytesOf,
  joinStages,
  type KeepBody,
  placeGoodConfig,
  type ReportedResource,
  type ResourceMessage,
  readResource,
  typeUrlOf,
} from './resource-message';
import { messageType } from './root';
import { sanitizeBody } from './sanitize-body';

export type { ReportedResource } from './resource-message';

/** One ClientConfig, which describes one xDS client of the process that answered. */
export interface ReportedClient {
  readonly node: NodeInfo;
  readonly scope: string;
  readonly resources: readonly ReportedResource[];
  /** The versions of types whose resources have no version of their own. Absent: there are none. */
  readonly typeVersions?: readonly TypeVersion[];
}

export interface ReportedClients {
  readonly clients: readonly ReportedClient[];
  /** Contains each body to which `clients` refer once. A body may be a view of the answer; copy it to keep it. */
  readonly bodies: readonly Body[];
  /** Sentences about what is unusual in the answer. */
  readonly notes: readonly string[];
}

export interface ClientConfigMessage {
  node?: object | null;
  xdsConfig?: object[];
  genericXdsConfigs?: ResourceMessage[];
  clientScope?: string;
}

/**
 * Decodes a CSDS answer. Resources in `generic_xds_configs` and in the deprecated `xds_config` become the same rows;
 * generic configs win for a type in both. Bodies are redacted and hashed. Throws a CodecError if the bytes are no
 * ClientStatusResponse.
 */
export function decodeClientStatus(bytes: Uint8Array, marker: RedactionMarker): ReportedClients {
  const notes = new Set<string>();
  const response = decodeClientStatusResponse(bytes, notes);
  const bodies = new Map<string, Body>();
  const keep: KeepBody = (any, typeUrl) => {
    if (!any || (!any.type_url && !any.value?.length)) return undefined;
    const { body } = sanitizeBody(readTypeUrl(any.type_url || typeUrl).typeUrl, bytesOf(any), marker);
    const known = bodies.get(body.hash);
    if (known === undefined) bodies.set(body.hash, body);
    return body;
  };
  const clients = (response.config ?? []).map((config): ReportedClient => {
    const places = new Map<string, number>();
    const resources: ReportedResource[] = [];
    const names = new DistinctNames();
    for (const message of messagesOfClient(config)) {
      const resource = readResource(placeGoodConfig(message, config.node), keep);
      const key = `${resource.typeUrl}\u0000${resource.name}`;
      const place = places.get(key);
      const known = place === undefined ? undefined : resources[place];
      if (place !== undefined && known !== undefined) {
        const joined = joinStages(known, resource);
        if (joined === undefined) resources.push(names.repeat(resource));
        else resources[place] = joined;
        continue;
      }
      places.set(key, resources.push(resource) - 1);
    }
    return {
      node: readNodeInfo(config.node, (json) => redactJson(json, marker)),
      scope: config.clientScope ?? '',
      // A name that only looks like that of a repeated resource is kept.
      resources: resources.length > places.size ? orderDuplicates(resources) : resources,
    };
  });
  return { clients, bodies: [...bodies.values()], notes: [...notes] };
}

/** Returns the resources in `generic_xds_configs` and the deprecated `xds_config`; the former win for both. */
export function messagesOfClient({
  genericXdsConfigs = [],
  xdsConfig = [],
}: ClientConfigMessage): ResourceMessage[] {
  const typesReported = new Set(
    genericXdsConfigs.map((resource) => readTypeUrl(typeUrlOf(resource)).typeUrl),
  );
  const older = readPerXdsConfigs(xdsConfig).filter((resource) => !typesReported.has(typeUrlOf(resource)));
  return [...genericXdsConfigs, ...older];
}

/** The configs of the result are views of `bytes`. */
export function decodeClientStatusResponse(
  bytes: Uint8Array,
  notes: Set<string>,
): { config?: ClientConfigMessage[] } {
  const type: protobuf.Type = messageType('envoy.service.status.v3.ClientStatusResponse');
  try {
    const response: object = type.decode(bytes);
    return response;
  } catch (strictError) {
    try {
      const response: object = type.decode(new LenientReader(bytes));
      notes.add('The answer has text that is not UTF-8; it is shown with replacement characters.');
      return response;
    } catch {
      throw new CodecError(
        `expected a ClientStatusResponse, got ${bytes.length} bytes that are none: ${messageOf(strictError)}`,
        {
          cause: strictError,
        },
      );
    }
  }
}
