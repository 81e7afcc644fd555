import { messageOf } from '@/lib/format/message-of';
import type {
  ClusterLoad,
  EndpointLoad,
  LoadMetric,
  Locality,
  LocalityLoad,
} from '@/lib/observation/observation';
import { messageType } from '../../codec/root';
import { WireReader, wire } from './wire-reader';

/** Limits the kept values and their characters. A fleet has some thousand names. */
const mostValues = 50_000;
const mostBytes = 4 * 1024 * 1024;

interface Kept<Value> {
  readonly bytes: Uint8Array;
  readonly value: Value;
  readonly next: Kept<Value> | undefined;
}

/** Caches values by their bytes, because names recur in each report. It is cleared when it is full. */
class Interned<Value> {
  readonly #read: (bytes: Uint8Array) => Value;
  #kept = new Map<number, Kept<Value>>();
  #count = 0;
  #sizeBytes = 0;

  constructor(read: (bytes: Uint8Array) => Value) {
    this.#read = read;
  }

  /** Returns the string of bytes[from..to). */
  of(bytes: Uint8Array, from: number, to: number): Value {
    let hash = to - from;
    for (let index = from; index < to; index++) hash = (Math.imul(hash, 31) + (bytes[index] ?? 0)) | 0;
    const chain = this.#kept.get(hash);
    for (let kept = chain; kept !== undefined; kept = kept.next) {
      if (isEqual(kept.bytes, bytes, from, to)) return kept.value;
    }
    const own = bytes.slice(from, to);
    const value = this.#read(own);
    if (this.#count >= mostValues || this.#sizeBytes + own.length > mostBytes) {
      this.#kept = new Map();
      this.#count = 0;
      this.#sizeBytes = 0;
      this.#kept.set(hash, { bytes: own, value, next: undefined });
    } else this.#kept.set(hash, { bytes: own, value, next: chain });
    this.#count += 1;
    this.#sizeBytes += own.length;
    return value;
  }
}

function isEqual(a: Uint8Array, b: Uint8Array, from: number, to: number): boolean {
  if (a.length !== to - from) return false;
  for (let index = 0; index < a.length; index++) if (a[index] !== b[from + index]) return false;
  return true;
}

type LoadReportResult =
  | {
      readonly kind: 'report';
      /** The decoded Node message, or null if the client omitted it, as it may after the first message. */
      readonly node: object | null;
      readonly clusters: readonly ClusterLoad[];
    }
  | { readonly kind: 'malformed'; readonly reason: string };

/**
 * Decodes a LoadStatsRequest with exact counters. It reads the wire format itself, because thousands of these arrive
 * per second: equal names are one string in memory, and only objects of the result are created. Field numbers:
 * load_stats/v3/lrs.proto, endpoint/v3/load_report.proto.
 */
export function decodeLoadReport(message: Uint8Array): LoadReportResult {
  try {
    reader.begin(message);
    let node: object | null = null;
    const clusters: ClusterLoad[] = [];
    while (reader.next()) {
      if (isMessage(1)) node = messageType('envoy.config.core.v3.Node').decode(reader.bytes());
      else if (isMessage(2)) clusters.push(within(message, readCluster));
      else reader.skip();
    }
    return { kind: 'report', node, clusters };
  } catch (error) {
    return {
      kind: 'malformed',
      reason: `expected a LoadStatsRequest, got ${message.length} bytes that do not decode: ${messageOf(error)}`,
    };
  }
}

/** Shared by all messages, because a message is read without interruption. */
const reader = new WireReader();
const texts = new Interned((bytes) => Buffer.from(bytes).toString('utf8'));
const localities = new Interned(readLocality);
const noLocality: Locality = { region: '', zone: '', subZone: '' };
/** Longer intervals are treated as not reported. */
const longestIntervalMs = 24 * 60 * 60 * 1_000;
const isMessage = (field: number): boolean => reader.field === field && reader.wireType === wire.bytes;
const isVarint = (field: number): boolean => reader.field === field && reader.wireType === wire.varint;

function within<Value>(message: Uint8Array, read: (message: Uint8Array) => Value): Value {
  const outer = reader.enter();
  const value = read(message);
  reader.leave(outer);
  return value;
}

function text(message: Uint8Array): string {
  const from = reader.span();
  return texts.of(message, from, reader.position);
}

function readCluster(message: Uint8Array): ClusterLoad {
  let clusterName = '';
  let clusterServiceName = '';
  let totalDropped = '0';
  let intervalMs: number | null = null;
  const dropped: { category: string; count: string }[] = [];
  const all: LocalityLoad[] = [];
  while (reader.next()) {
    if (isMessage(1)) clusterName = text(message);
    else if (isMessage(2)) all.push(within(message, readLoad));
    else if (isVarint(3)) totalDropped = reader.digits();
    else if (isMessage(4)) intervalMs = within(message, readInterval);
    else if (isMessage(5)) dropped.push(within(message, readDropped));
    else if (isMessage(6)) clusterServiceName = text(message);
    else reader.skip();
  }
  return { clusterName, clusterServiceName, intervalMs, totalDropped, dropped, localities: all };
}

function readDropped(message: Uint8Array): { category: string; count: string } {
  let category = '';
  let count = '0';
  while (reader.next()) {
    if (isMessage(1)) category = text(message);
    else if (isVarint(2)) count = reader.digits();
    else reader.skip();
  }
  return { category, count };
}

/**
 * The first report of grpc-go states an interval of 292 years (the largest int64 of nanoseconds). An interval of more
 * than a day, or of zero or less, counts as not reported, so that no rate is computed with it.
 */
function readInterval(): number | null {
  let seconds = 0;
  let nanos = 0;
  while (reader.next()) {
    if (isVarint(1)) seconds = reader.signed64();
    else if (isVarint(2)) nanos = reader.int32();
    else reader.skip();
  }
  const ms = seconds * 1_000 + nanos / 1e6;
  return ms > 0 && ms <= longestIntervalMs ? ms : null;
}

function readLoad(message: Uint8Array): LocalityLoad {
  let locality = noLocality;
  let priority = 0;
  let [successful, errors, issued, inProgress] = ['0', '0', '0', '0'];
  let [newConnections, failedConnections, activeConnections] = ['0', '0', '0'];
  const metrics: LoadMetric[] = [];
  /** gRFC A85: three metrics have fields of their own, and follow those with names. */
  const own: LoadMetric[] = [];
  const endpoints: EndpointLoad[] = [];
  while (reader.next()) {
    if (isMessage(1)) {
      const from = reader.span();
      locality = localities.of(message, from, reader.position);
    } else if (isVarint(2)) successful = reader.digits();
    else if (isVarint(3)) inProgress = reader.digits();
    else if (isVarint(4)) errors = reader.digits();
    else if (isMessage(5)) metrics.push(within(message, readMetric));
    else if (isVarint(6)) priority = reader.uint32();
    else if (isMessage(7)) endpoints.push(within(message, readEndpoint));
    else if (isVarint(8)) issued = reader.digits();
    else if (isVarint(9)) activeConnections = reader.digits();
    else if (isVarint(10)) newConnections = reader.digits();
    else if (isVarint(11)) failedConnections = reader.digits();
    else if (isMessage(12)) own.push({ ...within(message, readMetric), name: 'cpu_utilization' });
    else if (isMessage(13)) own.push({ ...within(message, readMetric), name: 'mem_utilization' });
    else if (isMessage(14)) own.push({ ...within(message, readMetric), name: 'application_utilization' });
    else reader.skip();
  }
  const requests = { successful, errors, issued: reportedIssued(issued, successful, errors), inProgress };
  const reported: LocalityLoad = { locality, priority, ...requests };
  const isMore =
    newConnections !== '0' ||
    failedConnections !== '0' ||
    activeConnections !== '0' ||
    metrics.length + own.length + endpoints.length > 0;
  if (!isMore) return reported;
  return {
    ...reported,
    ...(newConnections !== '0' && { newConnections }),
    ...(failedConnections !== '0' && { failedConnections }),
    ...(activeConnections !== '0' && { activeConnections }),
    ...(metrics.length + own.length > 0 && { metrics: [...metrics, ...own] }),
    ...(endpoints.length > 0 && { endpoints }),
  };
}

/**
 * grpc-go never sets this field, and proto3 does not distinguish unset from 0. Requests that ended in a window may all
 * have been issued in an earlier one, and 0 then counts as not reported, too: a gap is better than a wrong zero.
 */
function reportedIssued(issued: string, successful: string, errors: string): string | null {
  return issued !== '0' || (successful === '0' && errors === '0') ? issued : null;
}

function readMetric(message: Uint8Array): LoadMetric {
  let name = '';
  let count = '0';
  let sum = 0;
  // Named metrics and those with fields of their own have different field numbers: name 1, count 2, sum 3; and count 1,
  // sum 2.
  while (reader.next()) {
    if (isMessage(1)) name = text(message);
    else if (isVarint(1) || isVarint(2)) count = reader.digits();
    else if ((reader.field === 2 || reader.field === 3) && reader.wireType === wire.fixed64)
      sum = reader.double();
    else reader.skip();
  }
  return { name, count, sum: Number.isFinite(sum) ? sum : null };
}

function readEndpoint(message: Uint8Array): EndpointLoad {
  let address = ':0';
  let [successful, errors, issued, inProgress] = ['0', '0', '0', '0'];
  const metrics: LoadMetric[] = [];
  while (reader.next()) {
    if (isMessage(1)) address = within(message, readAddress);
    else if (isVarint(2)) successful = reader.digits();
    else if (isVarint(3)) inProgress = reader.digits();
    else if (isVarint(4)) errors = reader.digits();
    else if (isMessage(5)) metrics.push(within(message, readMetric));
    else if (isVarint(7)) issued = reader.digits();
    else reader.skip();
  }
  const requests = { successful, errors, issued: reportedIssued(issued, successful, errors), inProgress };
  return { address, ...requests, ...(metrics.length > 0 && { metrics }) };
}

/** Reads an address of config/core/v3/address.proto: a socket address, or a pipe. */
function readAddress(message: Uint8Array): string {
  let address = ':0';
  while (reader.next()) {
    if (isMessage(1)) address = within(message, readSocketAddress);
    else if (isMessage(2)) address = within(message, readPipe);
    else reader.skip();
  }
  return address;
}

function readSocketAddress(message: Uint8Array): string {
  let host = '';
  let port = 0;
  while (reader.next()) {
    if (isMessage(2)) host = text(message);
    else if (isVarint(3)) port = reader.uint32();
    else reader.skip();
  }
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function readPipe(message: Uint8Array): string {
  let path = '';
  while (reader.next()) {
    if (isMessage(1)) path = text(message);
    else reader.skip();
  }
  return `unix:${path}`;
}

function readLocality(bytes: Uint8Array): Locality {
  const own = new WireReader();
  own.begin(bytes);
  const [names, buffer] = [['', '', ''], Buffer.from(bytes)];
  while (own.next()) {
    if (own.wireType === wire.bytes && own.field <= names.length) {
      const from = own.span();
      names[own.field - 1] = buffer.toString('utf8', from, own.position);
    } else own.skip();
  }
  const [region = '', zone = '', subZone = ''] = names;
  return { region, zone, subZone };
}
