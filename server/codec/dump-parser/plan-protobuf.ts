import protobuf from 'protobufjs';
import { resourceTypes } from '@/lib/xds/resource-type';
import {
  type ClientConfigMessage,
  decodeClientStatusResponse,
  messagesOfClient,
} from '../decode-client-status';
import { contextInDump, dumps, readDumpItem, staticResourceTypes } from '../dump-lists';
import type { DocumentKind } from '../input/containers';
import { readProtobuf } from '../input/read-protobuf';
import { KeepingReader } from '../keeping-reader';
import { type AnyMessage, bytesOf, type ResourceMessage } from '../resource-message';
import { peekResourceName, peekText } from '../resource-name';
import { findMessageType, messageType } from '../root';
import { explainUnknownFile } from './explain-unknown-file';
import { PlannedReport, type ReportElement, type ReportProblem, ranks } from './report-plan';

interface DumpMessage {
  configs?: AnyMessage[];
}
interface DeltaMessage {
  removedResources?: string[];
}
interface BootstrapMessage {
  node?: object | null;
  staticResources?: Readonly<Record<string, object[] | undefined>> | null;
}

const sotwResponse = 'envoy.service.discovery.v3.DiscoveryResponse';
const deltaResponse = 'envoy.service.discovery.v3.DeltaDiscoveryResponse';

/** A longer field is taken for something else than protobuf. */
const largestFieldBytes = 512 * 1024 * 1024;

/** Returns an element that is already decoded. */
function ready(messages: readonly ResourceMessage[], place?: string): ReportElement {
  return { ...(place !== undefined && { place }), read: () => ({ messages, problems: [] }) };
}

/** Finds the reports of clients and control planes in binary protobuf, by readProtobuf() and by trial. */
export class ProtobufPlanner {
  readonly reports: PlannedReport[] = [];
  readonly problems: ReportProblem[] = [];
  readonly kinds = new Set<string>();

  /** `typeUrl` is the type URL or full name of the message if it is known. */
  document(bytes: Uint8Array, place: string, typeUrl?: string): void {
    const { kind, message, resources, problems } = readProtobuf(bytes, typeUrl);
    const decodes = resources.length > 0 || problems.length === 0;
    const is = (container: DocumentKind, name: string): boolean =>
      decodes && kind === container && (typeUrl === undefined || message === name);
    if (is('client-status', 'envoy.service.status.v3.ClientStatusResponse')) this.#clientStatus(bytes);
    else if (is('config-dump', 'envoy.admin.v3.ConfigDump')) this.configDump(bytes, place);
    else if (is('bootstrap', 'envoy.config.bootstrap.v3.Bootstrap')) {
      this.#bootstrap(bytes, this.#newReport('client'), { isConfiguredOnly: true });
    } else if (resources.length > 0) {
      this.kinds.add(kind === 'discovery-response' ? 'DiscoveryResponse' : 'resources');
      const report = this.#newReport('control-plane');
      const isResponse = kind === 'discovery-response';
      const versionInfo = isResponse ? versionOf(bytes) : '';
      const response = isResponse ? { typeUrl: typeUrlOf(bytes) } : undefined;
      for (const { typeUrl, name, version = versionInfo, bytes: value, place: at } of resources) {
        const xdsConfig = { type_url: typeUrl, value };
        report.add(
          ranks.rest,
          ready([{ name, versionInfo: version, xdsConfig, ...(response && { response }) }], at),
        );
      }
      if (message === deltaResponse) {
        const { removedResources = [] }: DeltaMessage = messageType(message).decode(bytes) as object;
        report.remove({ typeUrl: typeUrlOf(bytes) }, removedResources);
      }
      for (const { place: at, reason } of problems) this.problems.push({ place: at, reason });
    } else if (this.#emptyResponse(bytes, typeUrl === undefined ? undefined : message)) {
      this.kinds.add('DiscoveryResponse');
    } else if (!this.#emptyStatus(bytes) && !this.#clientConfig(bytes) && !this.#bareResource(bytes, place)) {
      const [reason] = problems.map((each) => each.reason);
      const strange = explainUnknownFile(bytes) ?? nameRequest(bytes);
      const known = 'expected a dump, a CSDS answer, xDS resources, a bootstrap or a recording';
      const isOdd = reason === undefined || kind === 'other';
      const got =
        strange ??
        `${bytes.length} bytes that are neither text nor protobuf of any of them${describeCut(bytes)}`;
      this.problems.push({ place, offset: 0, reason: isOdd ? `${known}, got ${got}` : reason });
    }
  }

  #newReport(side: 'client' | 'control-plane' | 'auto'): PlannedReport {
    const report = new PlannedReport(side);
    this.reports.push(report);
    return report;
  }

  #clientStatus(bytes: Uint8Array): void {
    const notes = new Set<string>();
    for (const config of decodeClientStatusResponse(bytes, notes).config ?? []) this.#client(config);
    for (const reason of notes) this.problems.push({ place: '', reason });
  }

  #client(config: ClientConfigMessage): void {
    this.kinds.add('CSDS answer');
    const report = this.#newReport('auto');
    report.node = config.node ?? null;
    report.scope = config.clientScope ?? '';
    for (const message of messagesOfClient(config)) report.add(ranks.rest, ready([message]));
  }

  /**
   * Adds a response without resources. `given` is the type of the bytes if it is known: an empty DiscoveryResponse has the bytes of a
   * DiscoveryRequest, so that without a type only a delta response that removes something is recognised. Returns false if the bytes are
   * none.
   */
  #emptyResponse(bytes: Uint8Array, given: string | undefined): boolean {
    const isGiven = given !== undefined;
    const message = given ?? deltaResponse;
    if (message !== deltaResponse && message !== sotwResponse) return false;
    const typeUrl = typeUrlOf(bytes);
    if (!/^type\.googleapis\.com\/[\w.]+$/.test(typeUrl)) return false;
    const decoded: DeltaMessage | undefined = decodeExactly(message, bytes);
    if (decoded === undefined) return false;
    const { removedResources: removed = [] } = decoded;
    // The error_detail of a DiscoveryRequest, which has the same field number, begins with a control character.
    if (!isGiven && !(removed.length > 0 && removed.every((name) => /^\P{Cc}+$/u.test(name)))) return false;
    const report = this.#newReport('control-plane');
    report.isReported = true;
    if (message === sotwResponse) report.emptyResponses.push({ typeUrl });
    report.remove({ typeUrl }, removed);
    return true;
  }

  /** Adds a ClientStatusResponse whose rows have no bodies. Returns false if the bytes are none. */
  #emptyStatus(bytes: Uint8Array): boolean {
    const decoded: { config?: ClientConfigMessage[] } | undefined = decodeExactly(
      'envoy.service.status.v3.ClientStatusResponse',
      bytes,
    );
    const isReported = ({ node, genericXdsConfigs, xdsConfig }: ClientConfigMessage): boolean =>
      Boolean(node) || Boolean(genericXdsConfigs?.length) || Boolean(xdsConfig?.length);
    if (!decoded?.config?.length || !decoded.config.every(isReported)) return false;
    this.#clientStatus(bytes);
    return true;
  }

  /** Adds a ClientConfig as dump_xds_configs() of grpcio returns it. Returns false if the bytes are none. */
  #clientConfig(bytes: Uint8Array): boolean {
    const decoded = decodeExactly('envoy.service.status.v3.ClientConfig', bytes);
    if (decoded === undefined) return false;
    const config: ClientConfigMessage = decoded;
    if (!config.genericXdsConfigs?.length && !config.xdsConfig?.length) return false;
    this.#client(config);
    return true;
  }

  /** Precondition: `bytes` are a valid envoy.admin.v3.ConfigDump. */
  configDump(bytes: Uint8Array, place: string): void {
    this.kinds.add('Envoy config dump');
    const report = this.#newReport('client');
    report.noteEnvoy('Envoy config dump');
    const { configs = [] }: DumpMessage = messageType('envoy.admin.v3.ConfigDump').decode(bytes) as object;
    for (const [index, any] of configs.entries()) {
      const name = (any.type_url ?? '').split('.').at(-1) ?? '';
      const type = findMessageType(any.type_url ?? '');
      const at = `${place === '' ? '' : `${place}.`}configs[${index}]`;
      if (type === undefined) {
        this.problems.push({
          place: at,
          reason: `the type of ${bytesOf(any).length} bytes is not known`,
        });
        continue;
      }
      try {
        this.#dump(name, type.decode(new KeepingReader(bytesOf(any))) as object, report);
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        this.problems.push({ place: at, reason: `not a valid ${type.name}: ${reason}` });
      }
    }
  }

  #dump(name: string, content: object, report: PlannedReport): void {
    if (name === 'BootstrapConfigDump') {
      const bootstrap: unknown = Reflect.get(content, 'bootstrap');
      if (typeof bootstrap === 'object' && bootstrap !== null) {
        const type = messageType('envoy.config.bootstrap.v3.Bootstrap');
        this.#bootstrap(type.encode(bootstrap).finish(), report);
      }
      return;
    }
    const dump = dumps.get(name);
    for (const list of dump?.lists ?? []) {
      const items: unknown = Reflect.get(content, list.list);
      if (dump === undefined || !Array.isArray(items)) continue;
      for (const item of items) {
        const messages = readDumpItem(dump, list, item, contextInDump(list));
        report.add(list.isWarming ? ranks.warming : ranks.rest, ready(messages));
      }
    }
  }

  #bootstrap(
    bytes: Uint8Array,
    report: PlannedReport,
    more: Pick<ResourceMessage, 'isConfiguredOnly'> = {},
  ): void {
    this.kinds.add('bootstrap');
    report.noteEnvoy('bootstrap');
    const bootstrapUrl = 'type.googleapis.com/envoy.config.bootstrap.v3.Bootstrap';
    const decoded: BootstrapMessage = messageType(bootstrapUrl).decode(new KeepingReader(bytes)) as object;
    report.node = decoded.node ?? null;
    const marks = { isStaticResource: true } as const;
    for (const [field, typeUrl] of staticResourceTypes) {
      const type = messageType(typeUrl);
      for (const resource of decoded.staticResources?.[field] ?? []) {
        const value = type.encode(resource).finish();
        report.add(ranks.bootstrap, ready([{ ...marks, ...more, xdsConfig: { type_url: typeUrl, value } }]));
      }
    }
    const xdsConfig = { type_url: bootstrapUrl, value: bytes };
    report.add(ranks.bootstrap, ready([{ ...marks, ...more, name: 'bootstrap', xdsConfig }]));
  }

  /** Adds a resource if the bytes decode as exactly one resource type without unknown fields. */
  #bareResource(bytes: Uint8Array, place: string): boolean {
    const fitting = resourceTypes.filter(({ typeUrl }) => {
      const name = peekResourceName(typeUrl, bytes) ?? '';
      return /^[\x20-\x7e]+$/.test(name) && decodeExactly(typeUrl, bytes) !== undefined;
    });
    const [only] = fitting;
    if (only === undefined) return false;
    if (fitting.length > 1) {
      const names = fitting.map(({ noun }) => noun).join(', ');
      this.problems.push({
        place,
        offset: 0,
        reason: `expected bytes of one type, got some that may be: ${names}`,
      });
      return true;
    }
    this.kinds.add('resources');
    const xdsConfig = { type_url: only.typeUrl, value: bytes };
    this.#newReport('control-plane').add(ranks.rest, ready([{ xdsConfig }]));
    return true;
  }
}

/** Describes protobuf that ends within a field of its outermost message; empty for other bytes. */
function describeCut(bytes: Uint8Array): string {
  const reader = protobuf.Reader.create(bytes);
  try {
    while (reader.pos < bytes.length) {
      const from = reader.pos;
      const tag = reader.uint32();
      if ((tag & 7) !== 2) {
        reader.skipType(tag & 7);
        continue;
      }
      const length = reader.uint32();
      const there = bytes.length - reader.pos;
      if (tag >>> 3 > 0 && tag >>> 3 < 100 && length > there && length <= largestFieldBytes) {
        return `; as protobuf it is truncated: it ends at byte ${bytes.length}, and the field that begins at byte ${from} has ${length} bytes, of which ${there} are there`;
      }
      reader.skip(length);
    }
  } catch {
    return ''; // It is not protobuf.
  }
  return '';
}

/** Names a message of a client that has no resources; returns undefined for other bytes. */
function nameRequest(bytes: Uint8Array): string | undefined {
  for (const name of ['DiscoveryRequest', 'DeltaDiscoveryRequest']) {
    const request: { typeUrl?: string } = decodeLoosely(`envoy.service.discovery.v3.${name}`, bytes);
    if (/^type\.googleapis\.com\/[\w.]+$/.test(request.typeUrl ?? '')) {
      return `a ${name}: only the answer to it has resources`;
    }
  }
  const type = 'envoy.service.load_stats.v3.LoadStatsRequest';
  const report: { node?: { id?: string }; clusterStats?: { clusterName?: string }[] } = decodeLoosely(
    type,
    bytes,
  );
  const name = report.clusterStats?.[0]?.clusterName ?? report.node?.id ?? '';
  if (!/^[\x20-\x7e]+$/.test(name)) return undefined;
  return 'a load report, which has none: load is read as it is reported, and not of files';
}

/** Accepts default values on the wire, which some clients send. Returns {} if the bytes do not decode. */
function decodeLoosely(typeUrl: string, bytes: Uint8Array): object {
  try {
    return messageType(typeUrl).decode(bytes);
  } catch {
    return {}; // It is something else.
  }
}

/** Returns undefined if the bytes do not decode, or have unknown fields. */
function decodeExactly(typeUrl: string, bytes: Uint8Array): object | undefined {
  try {
    const type = messageType(typeUrl);
    const message: object = type.decode(bytes);
    return type.encode(message).finish().length === bytes.length ? message : undefined;
  } catch {
    return undefined; // It is something else.
  }
}

/** version_info or system_version_info, field 1 of both responses. */
function versionOf(bytes: Uint8Array): string {
  return peekText(1, bytes) ?? '';
}

/** type_url, field 4 of both responses. */
function typeUrlOf(bytes: Uint8Array): string {
  return peekText(4, bytes) ?? '';
}

/** Splits uncompressed gRPC frames; other bytes are one message. */
export function splitGrpcFrames(bytes: Uint8Array): readonly Uint8Array[] {
  const frames: Uint8Array[] = [];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < bytes.length; ) {
    if (at + 5 > bytes.length || bytes[at] !== 0) return [bytes];
    const end = at + 5 + view.getUint32(at + 1);
    if (end > bytes.length) return [bytes];
    frames.push(bytes.subarray(at + 5, end));
    at = end;
  }
  return frames;
}
