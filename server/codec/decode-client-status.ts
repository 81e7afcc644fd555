import type protobuf from 'protobufjs';
import type { ErrorState, NodeInfo, ResourceState } from '@/lib/observation/observation';
import { type ConfigStatus, clientStatuses, configStatuses } from '@/lib/xds/status';
import type { EpochMs } from '@/lib/xds/units';
import { readTypeUrl } from '@/lib/xds/v2-types';
import type { Body } from '../observe';
import { CodecError } from './codec-error';
import { LenientReader } from './keeping-reader';
import { readNodeInfo } from './node-info';
import { readPerXdsConfigs } from './per-xds-config';
import { redactJson } from './redact-json';
import type { RedactionMarker } from './redaction-marker';
import { peekResourceName } from './resource-name';
import { messageType } from './root';
import { takeBody } from './take-body';

/** A resource as a ClientConfig tells it. When that was first seen is for the poller to say. */
export type ReportedResource = Omit<ResourceState, 'changedAt'>;

/** One ClientConfig: one xDS client of the process that answered. */
export interface ReportedClient {
  readonly node: NodeInfo;
  readonly scope: string;
  readonly resources: readonly ReportedResource[];
}

/** A ClientStatusResponse. */
export interface ReportedClients {
  readonly clients: readonly ReportedClient[];
  /** Every body that `clients` name by hash, once. They may be views of the answer's bytes: copy what is kept. */
  readonly bodies: readonly Body[];
  /** What was odd, in words. */
  readonly notes: readonly string[];
}

/** google.protobuf.Any as protobufjs decodes it; `value` is a view of the answer's bytes. */
export interface AnyMessage {
  type_url?: string;
  value?: Uint8Array;
}

/** google.protobuf.Timestamp as protobufjs decodes it. */
interface TimestampMessage {
  seconds?: number | { toNumber(): number };
  nanos?: number;
}

export interface FailureMessage {
  failedConfiguration?: AnyMessage | null;
  lastUpdateAttempt?: TimestampMessage | null;
  details?: string;
  versionInfo?: string;
}

/** What GenericXdsConfig and the older dumps have in common. */
export interface ResourceMessage {
  typeUrl?: string;
  name?: string;
  versionInfo?: string;
  xdsConfig?: AnyMessage | null;
  lastUpdated?: TimestampMessage | null;
  configStatus?: number;
  clientStatus?: number;
  errorState?: FailureMessage | null;
  isStaticResource?: boolean;
}

interface ClientConfigMessage {
  node?: object | null;
  xdsConfig?: object[];
  genericXdsConfigs?: ResourceMessage[];
  clientScope?: string;
}

/**
 * Reads a CSDS answer: both `generic_xds_configs` and the deprecated `xds_config`, made into the same rows; where
 * both tell of a type, generic wins. Bodies are redacted and hashed. Throws a CodecError when the bytes are no
 * ClientStatusResponse.
 */
export function decodeClientStatus(bytes: Uint8Array, marker: RedactionMarker): ReportedClients {
  const notes = new Set<string>();
  const response = decodeResponse(bytes, notes);
  const bodies = new Map<string, Body>();
  const keep = (any: AnyMessage | null | undefined, typeUrl: string): Body | undefined => {
    if (!any || (!any.type_url && !any.value?.length)) return undefined;
    const { body } = takeBody(readTypeUrl(any.type_url || typeUrl).typeUrl, bytesOf(any), marker);
    const known = bodies.get(body.hash);
    if (known === undefined) bodies.set(body.hash, body);
    return body;
  };
  const redactNode = <T>(json: T): T => redactJson(json, (secret) => marker(Buffer.from(secret))) as T;
  const clients = (response.config ?? []).map((config): ReportedClient => {
    const generic = config.genericXdsConfigs ?? [];
    const typesTold = new Set(generic.map((resource) => readTypeUrl(typeUrlOf(resource)).typeUrl));
    const older = readPerXdsConfigs(config.xdsConfig ?? []).filter(
      (resource) => !typesTold.has(typeUrlOf(resource)),
    );
    const seen = new Set<string>();
    const resources: ReportedResource[] = [];
    for (const message of [...generic, ...older]) {
      const resource = readResource(message, keep);
      const key = `${resource.typeUrl}\u0000${resource.name}`;
      if (seen.has(key)) {
        notes.add('The answer tells of some resources twice; the first one counts.');
        continue;
      }
      seen.add(key);
      resources.push(resource);
    }
    return { node: readNodeInfo(config.node, redactNode), scope: config.clientScope ?? '', resources };
  });
  return { clients, bodies: [...bodies.values()], notes: [...notes] };
}

/** The configs in it are views of the answer's bytes. */
function decodeResponse(bytes: Uint8Array, notes: Set<string>): { config?: ClientConfigMessage[] } {
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
      const reason = strictError instanceof Error ? strictError.message : String(strictError);
      throw new CodecError(
        `expected a ClientStatusResponse, got ${bytes.length} bytes that are none: ${reason}`,
        {
          cause: strictError,
        },
      );
    }
  }
}

/** An empty value is an array without elements, not of bytes. */
function bytesOf({ value }: AnyMessage): Uint8Array {
  return value?.length ? value : new Uint8Array();
}

function typeUrlOf({ typeUrl, xdsConfig }: ResourceMessage): string {
  return typeUrl || xdsConfig?.type_url || '';
}

function readResource(
  message: ResourceMessage,
  keep: (any: AnyMessage | null | undefined, typeUrl: string) => Body | undefined,
): ReportedResource {
  const { typeUrl } = readTypeUrl(typeUrlOf(message));
  const body = keep(message.xdsConfig, typeUrl);
  return {
    typeUrl,
    name: message.name || (body === undefined ? '' : (peekResourceName(typeUrl, body.bytes) ?? '')),
    versionInfo: message.versionInfo ?? '',
    clientStatus: clientStatuses[message.clientStatus ?? 0] ?? 'UNKNOWN',
    configStatus: readConfigStatus(message.configStatus),
    lastUpdated: readTime(message.lastUpdated),
    errorState: readErrorState(message.errorState, typeUrl, keep),
    hash: body?.hash ?? null,
    sizeBytes: body?.bytes.length ?? null,
    isStatic: message.isStaticResource ?? false,
    ...(isOfV2(message) && { apiVersion: 'v2' }),
  };
}

/** By its own type or by that of what it holds, or of what was refused. */
function isOfV2({ typeUrl, xdsConfig, errorState }: ResourceMessage): boolean {
  const told = [typeUrl, xdsConfig?.type_url, errorState?.failedConfiguration?.type_url];
  return told.some((each) => each !== undefined && readTypeUrl(each).apiVersion === 'v2');
}

function readConfigStatus(value: number | undefined): ConfigStatus {
  return configStatuses[value ?? 0] ?? 'UNKNOWN';
}

function readErrorState(
  failure: FailureMessage | null | undefined,
  typeUrl: string,
  keep: (any: AnyMessage | null | undefined, typeUrl: string) => Body | undefined,
): ErrorState | null {
  if (!failure) return null;
  return {
    details: failure.details ?? '',
    versionInfo: failure.versionInfo ?? '',
    lastUpdateAttempt: readTime(failure.lastUpdateAttempt),
    failedHash: keep(failure.failedConfiguration, typeUrl)?.hash ?? null,
  };
}

/** The largest time that a Date can hold. */
const latestMs = 8.64e15;

/** Unset, zero, and Go's zero time (year 1) are "never"; so is what no calendar can show. */
function readTime(time: TimestampMessage | null | undefined): EpochMs | null {
  if (!time) return null;
  const seconds = typeof time.seconds === 'object' ? time.seconds.toNumber() : (time.seconds ?? 0);
  const ms = seconds * 1000 + Math.floor((time.nanos ?? 0) / 1e6);
  return ms > 0 && ms <= latestMs ? ms : null;
}
