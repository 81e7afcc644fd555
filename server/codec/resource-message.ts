import type { Stage } from '@/lib/observation/effect-stage';
import type { ErrorState, HeldVersion, ResourceState } from '@/lib/observation/resource-state';
import { type ConfigStatus, clientStatuses, configStatuses } from '@/lib/xds/status';
import type { EpochMs } from '@/lib/xds/units';
import { readTypeUrl } from '@/lib/xds/v2-types';
import type { Body } from '../observe';
import { peekResourceName } from './resource-name';

/** A resource in the form in which a client reports it. The caller adds the time of its first observation. */
export type ReportedResource = Omit<ResourceState, 'changedAt'>;

/** Redacts, hashes and stores a body; returns undefined if there is none. `typeUrl` is used for an Any without type. */
export type KeepBody = (any: AnyMessage | null | undefined, typeUrl: string) => Body | undefined;

/** google.protobuf.Any as protobufjs decodes it. `value` is a view of the decoded bytes. */
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

/** The common fields of GenericXdsConfig and of the items of dumps. */
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
  /** It is a part of a bootstrap file, which does not report that it runs. */
  isConfiguredOnly?: true;
  stage?: Stage;
  others?: readonly HeldMessage[];
  /**
   * The item is only the error of a rejected configuration. Envoy adds it without a name beside the entry of the listener,
   * whose name is in `failedConfiguration`.
   */
  isErrorAlone?: boolean;
  /** The DiscoveryResponse that carries the resource. Those of one response share the value. */
  response?: { readonly typeUrl: string };
}

/** Another version of the resource that Envoy holds at the same time. */
export interface HeldMessage extends Pick<ResourceMessage, 'versionInfo' | 'lastUpdated' | 'xdsConfig'> {
  readonly stage: Stage;
}

/** protobufjs decodes an empty value as a plain array. */
export function bytesOf({ value }: AnyMessage): Uint8Array {
  return value?.length ? value : new Uint8Array();
}

export function typeUrlOf({ typeUrl, xdsConfig }: ResourceMessage): string {
  return typeUrl || xdsConfig?.type_url || '';
}

/**
 * User agents that put the last GOOD config into failed_configuration and leave xds_config out. According to
 * envoy.admin.v3.UpdateFailureState the field is "what the component configuration would have been if the update had
 * succeeded".
 */
const withGoodConfig: ReadonlySet<unknown> = new Set(['gRPC Node Pure JS']);

/** Puts the config in effect where every other client has it. */
export function placeGoodConfig(message: ResourceMessage, node: object | null | undefined): ResourceMessage {
  const { errorState, xdsConfig } = message;
  const failed = errorState?.failedConfiguration;
  if (!errorState || !failed || xdsConfig || !node) return message;
  if (!withGoodConfig.has(Reflect.get(node, 'userAgentName'))) return message;
  return { ...message, xdsConfig: failed, errorState: { ...errorState, failedConfiguration: null } };
}

export function readResource(message: ResourceMessage, keep: KeepBody): ReportedResource {
  const { typeUrl } = readTypeUrl(typeUrlOf(message));
  const body = keep(message.xdsConfig, typeUrl);
  const { isErrorAlone, errorState } = message;
  const named = isErrorAlone
    ? errorState?.failedConfiguration && bytesOf(errorState.failedConfiguration)
    : body?.bytes;
  return {
    typeUrl,
    name: message.name || (named ? (peekResourceName(typeUrl, named) ?? '') : ''),
    versionInfo: message.versionInfo ?? '',
    clientStatus: clientStatuses[message.clientStatus ?? 0] ?? 'UNKNOWN',
    configStatus: readConfigStatus(message.configStatus),
    lastUpdated: readTime(message.lastUpdated),
    errorState: readErrorState(message.errorState, typeUrl, keep),
    hash: body?.hash ?? null,
    sizeBytes: body?.bytes.length ?? null,
    isStatic: message.isStaticResource ?? false,
    ...(message.isConfiguredOnly && { doubt: 'configured' as const }),
    ...(isOfV2(message) && { apiVersion: 'v2' }),
    ...(message.stage && { stage: message.stage }),
    ...(message.others && {
      otherVersions: message.others.map((other) => readVersion(other, typeUrl, keep)),
    }),
  };
}

function readVersion(
  { stage, versionInfo, lastUpdated, xdsConfig }: HeldMessage,
  typeUrl: string,
  keep: KeepBody,
): HeldVersion {
  const body = keep(xdsConfig, typeUrl);
  return {
    stage,
    versionInfo: versionInfo ?? '',
    lastUpdated: readTime(lastUpdated),
    hash: body?.hash ?? null,
    sizeBytes: body?.bytes.length ?? null,
  };
}

/** True if the type of the resource, of its body or of the rejected configuration is of the v2 API. */
function isOfV2({ typeUrl, xdsConfig, errorState }: ResourceMessage): boolean {
  const reported = [typeUrl, xdsConfig?.type_url, errorState?.failedConfiguration?.type_url];
  return reported.some((each) => each !== undefined && readTypeUrl(each).apiVersion === 'v2');
}

function readConfigStatus(value: number | undefined): ConfigStatus {
  return configStatuses[value ?? 0] ?? 'UNKNOWN';
}

function readErrorState(
  failure: FailureMessage | null | undefined,
  typeUrl: string,
  keep: KeepBody,
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

/** Returns null ("never") if the time is unset, zero, Go's zero time (year 1), or beyond the range of Date. */
function readTime(time: TimestampMessage | null | undefined): EpochMs | null {
  if (!time) return null;
  const seconds = typeof time.seconds === 'object' ? time.seconds.toNumber() : (time.seconds ?? 0);
  const ms = seconds * 1000 + Math.floor((time.nanos ?? 0) / 1e6);
  return ms > 0 && ms <= latestMs ? ms : null;
}

/** True if the resource of the row is only warming or draining. */
export function isWaiting({ stage }: ReportedResource): boolean {
  return stage === 'warming' || stage === 'draining';
}

/** Adds a warming or draining version to the active row; returns undefined if both rows have the same stage. */
export function joinStages(inUse: ReportedResource, other: ReportedResource): ReportedResource | undefined {
  const { stage, versionInfo, lastUpdated, hash, sizeBytes } = other;
  if (!isWaiting(other) || stage === undefined || isWaiting(inUse)) return undefined;
  const held: HeldVersion = { stage, versionInfo, lastUpdated, hash, sizeBytes };
  return { ...inUse, otherVersions: [...(inUse.otherVersions ?? []), held] };
}
