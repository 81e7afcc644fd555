import { createHash } from 'node:crypto';
import { closeSync, createReadStream, openSync, readSync, statSync, writeSync } from 'node:fs';
import path from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import type { Connection } from '@/lib/observation/connection';
import { findClient } from '@/lib/resolve/client-profile';
import type { EpochMs } from '@/lib/xds/units';
import type { ByteSource } from '../../codec/dump-parser/byte-source';
import { reaches, sourceOf, wholeOf } from '../../codec/dump-parser/byte-source';
import { findClientEvidence } from '../../codec/dump-parser/client-evidence';
import { joinPlans } from '../../codec/dump-parser/join-plans';
import { planReport } from '../../codec/dump-parser/plan-report';
import { type HostReport, mostHosts } from '../../codec/dump-parser/read-hosts';
import type { ListenerReport } from '../../codec/dump-parser/read-listeners';
import { nodeOf, readReport } from '../../codec/dump-parser/read-report';
import type {
  PlannedReport,
  ReportedSockets,
  ReportPlan,
  ReportProblem,
} from '../../codec/dump-parser/report-plan';
import type { RedactionMarker } from '../../codec/redaction-marker';
import { createRedactionMarker } from '../../codec/redaction-marker';
import { makeCommonTypes } from '../../codec/root';
import { redactObservation } from '../../codec/secrets/redact-observation';
import { HostTracker } from '../../collect/envoy-admin/host-tracker';
import type { Body } from '../../observe';
import { packBodies } from '../../packed-bodies';
import { nextTurn } from '../../workers/threads/in-slices';
import { lowerPriority } from '../../workers/threads/lower-priority';
import { isRecording, magic } from '../xdscope-format/file-format';
import type { FileMessage, FileReport, FileWorkerData } from './file-messages';
import { NewestMoment } from './newest-moment';
import { createPacedSender } from './paced-sender';
import type { Packing } from './unpack-file';
import { findPacking, largestUnpackedBytes, unpackFile } from './unpack-file';
import type { UploadEnd } from './upload-channel';
import { IncomingBytes, UploadChunks } from './upload-channel';

/** The first elements make a graph, and are read quickly. */
const firstElements = 40;

type PreviewMessage = Extract<FileMessage, { kind: 'preview' }>;

function fileReportOf(report: PlannedReport, marker: RedactionMarker): FileReport {
  const { scope, label, side } = report;
  const node = nodeOf(report, marker);
  // A client with a known user agent needs no evidence.
  const evidence = findClient(node.userAgentName) === undefined ? findClientEvidence(report) : undefined;
  return redactObservation({ node: { ...node, ...(evidence && { evidence }) }, scope, label, side }, marker);
}

/**
 * Sends the first resources of the first client once per file, while the file arrives. Only a client with a known node
 * id is sent, which keeps its name when the rest is read. MUTABLE.
 */
class Preview {
  readonly #marker: RedactionMarker;
  readonly #moment: Pick<NewestMoment, 'soFar'>;
  readonly #send: (message: PreviewMessage, transfer: readonly ArrayBuffer[]) => void;

  #isSent = false;

  constructor(
    marker: RedactionMarker,
    moment: Pick<NewestMoment, 'soFar'>,
    send: (message: PreviewMessage, transfer: readonly ArrayBuffer[]) => void,
  ) {
    this.#marker = marker;
    this.#moment = moment;
    this.#send = send;
  }

  /** Called after another element of the report was found. */
  update(report: PlannedReport): void {
    if (this.#isSent || report.elementCount < firstElements) return;
    const at = this.#moment.soFar;
    if (report.side !== 'client' || at === null) return;
    const reported = fileReportOf(report, this.#marker);
    if (reported.node.id === '') return;
    this.#isSent = true;
    const elements = report.elements().slice(0, firstElements);
    const batches = [...readReport({ node: report.node, elements: () => elements }, this.#marker)];
    const bodies = packBodies(batches.flatMap((batch) => batch.bodies));
    const rows = redactObservation(
      batches.flatMap((batch) => batch.rows),
      this.#marker,
    );
    this.#send({ kind: 'preview', at, report: reported, rows, bodies }, [bodies.bytes]);
  }
}

const {
  file: given,
  others = [],
  uploadFile,
  unpackedFile,
  redactionKey,
  now,
  modifiedAt,
}: FileWorkerData = workerData;
const marker = createRedactionMarker(redactionKey);
/** The file is read in pieces of this size. */
const pieceBytes = 8 * 1024 * 1024;

/** Number of batches that this thread is ahead of the main thread. */
const sendBatch = createPacedSender<FileMessage>(4);
// Runs while the beginning of the file arrives.
makeCommonTypes();

function send(message: FileMessage, transfer: readonly ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, transfer);
}

function readWhole(path: string): Uint8Array {
  const { size } = statSync(path);
  if (size > largestUnpackedBytes) {
    throw new Error(`expected at most ${largestUnpackedBytes} bytes, got ${size}`);
  }
  const bytes = Buffer.alloc(size);
  const descriptor = openSync(path, 'r');
  try {
    for (let at = 0; at < size; ) {
      const read = readSync(descriptor, bytes, at, Math.min(pieceBytes, size - at), at);
      if (read === 0) return bytes.subarray(0, at);
      at += read;
    }
    return bytes;
  } finally {
    closeSync(descriptor);
  }
}

const formatNames = {
  json: 'JSON',
  yaml: 'YAML',
  text: 'protobuf text',
  protobuf: 'protobuf',
  lines: "text of Envoy's admin interface",
} as const;

/** Reads an upload while it arrives, unless it is packed or a recording. */
async function readUpload(end: UploadEnd): Promise<void> {
  const chunks = new UploadChunks(end);
  const moment = new NewestMoment(now);
  const source = new IncomingBytes(chunks, end.sizeBytes, (bytes) => moment.scan(bytes));
  reaches(source, magic.length - 1);
  const start = Buffer.from(source.bytes.subarray(0, Math.min(magic.length, source.length)));
  if (source.length === 0) sendEmpty();
  else if (findPacking(start) === undefined && !isRecording(start)) {
    const preview = new Preview(marker, moment, send);
    await readDocument(source, moment, {
      ...{ layers: [], cut: '', digest: () => source.digest() },
      onElement: (report) => preview.update(report),
    });
  } else {
    keepUpload(source, chunks);
    await readPath(uploadFile);
  }
}

function keepUpload({ bytes, length }: ByteSource, chunks: UploadChunks): void {
  const descriptor = openSync(uploadFile, 'wx', 0o600);
  try {
    writeSync(descriptor, bytes, 0, length);
    for (let chunk = chunks.next(); chunk !== undefined; chunk = chunks.next()) writeSync(descriptor, chunk);
  } finally {
    closeSync(descriptor);
  }
}

async function readPath(file: string): Promise<void> {
  if (statSync(file).size === 0) {
    sendEmpty();
    return;
  }
  const { bytes, unpacked, ...packing } = await readUnpacked(file);
  const sha256 = await digestOf(file);
  if (isRecording(Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(magic.length, bytes.length)))) {
    send({ kind: 'digest', sha256 });
    send({ kind: 'recording', file: unpacked });
    return;
  }
  send({ kind: 'progress', phase: 'reading', done: 0, total: null });
  if (others.length > 0) await readParts(file, bytes, sha256);
  else await readDocument(sourceOf(bytes), new NewestMoment(now), { ...packing, digest: () => sha256 });
}

async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(file)) hash.update(piece);
  return hash.digest('hex');
}

async function readUnpacked(
  file: string,
): Promise<Omit<ReadOptions, 'digest'> & { bytes: Uint8Array; unpacked: string }> {
  const {
    layers,
    cut,
    file: unpacked,
  } = await unpackFile(file, unpackedFile, (done) =>
    send({ kind: 'progress', phase: 'unpacking', done, total: null }),
  );
  return { layers, cut, unpacked, bytes: readWhole(unpacked) };
}

/** Reads files that are parts of one client. */
async function readParts(first: string, firstBytes: Uint8Array, firstDigest: string): Promise<void> {
  const plans: ReportPlan[] = [];
  const names: string[] = [];
  const digests: string[] = [];
  let newest: number | null = null;
  for (const file of [first, ...others]) {
    const bytes = file === first ? firstBytes : (await readUnpacked(file)).bytes;
    plans.push(planReport(bytes, { isPart: true }));
    names.push(path.basename(file));
    digests.push(file === first ? firstDigest : await digestOf(file));
    const at = new NewestMoment(now).findIn(bytes);
    if (at !== null && at > (newest ?? 0)) newest = at;
  }
  const plan = joinPlans(plans, names);
  send({ kind: 'digest', sha256: createHash('sha256').update(digests.join()).digest('hex') });
  await sendWhole(plan, plan.problems, [], newest);
}

function sendEmpty(): void {
  send({ kind: 'unknown', reason: 'expected a file, got an empty one' });
}

interface ReadOptions {
  readonly layers: readonly Packing[];
  /** The reason why the end of the file is missing, or empty. */
  readonly cut: string;
  /** Returns the SHA-256 of the file once it was read. */
  readonly digest: () => string;
  readonly onElement?: (report: PlannedReport) => void;
}

async function readDocument(
  source: ByteSource,
  moment: NewestMoment,
  { layers, cut, digest, onElement }: ReadOptions,
): Promise<void> {
  const plan = planReport(source, { onElement });
  const bytes = wholeOf(source);
  send({ kind: 'digest', sha256: digest() });
  const cuts: ReportProblem[] = cut === '' ? [] : [{ place: '', offset: bytes.length, reason: cut }];
  const at = plan.format === 'json' || plan.format === 'yaml' ? moment.findIn(bytes) : null;
  await sendWhole(plan, [...cuts, ...plan.problems], layers, at);
}

/** `at` is the newest time in the file, null if there is none. */
async function sendWhole(
  plan: ReportPlan,
  problems: readonly ReportProblem[],
  layers: readonly Packing[],
  at: number | null,
): Promise<void> {
  if (plan.reports.length === 0) {
    await sendRows(-1, [], [], problems);
    const [first] = problems;
    const where = first === undefined || first.place === '' ? '' : `${first.place}: `;
    send({ kind: 'unknown', reason: `${where}${first?.reason ?? 'expected xDS resources, found none'}` });
    return;
  }
  const what = [plan.kinds.join(', '), formatNames[plan.format], ...layers].filter(Boolean).join(', ');
  const writtenAt = modifiedAt !== undefined && modifiedAt <= now ? modifiedAt : null;
  await sendPlan(plan, what, problems, at ?? writtenAt);
}

async function sendPlan(
  { reports }: ReportPlan,
  what: string,
  problems: readonly ReportProblem[],
  at: number | null,
): Promise<void> {
  send({
    kind: 'begin',
    what,
    at,
    reports: reports.map((report) => fileReportOf(report, marker)),
  });
  const total = reports.reduce((sum, { elementCount }) => sum + elementCount, 0);
  let done = 0;
  if (problems.length > 0) await sendRows(-1, [], [], problems);
  for (const [index, report] of reports.entries()) {
    let isReported = false;
    const sockets = new FileSockets();
    for (const batch of readReport(report, marker)) {
      const { rows, bodies, problems: found, elements, sockets: reported } = batch;
      sockets.add(reported);
      await sendRows(index, rows, bodies, found);
      // The first batch is shown as soon as possible; then the main thread has priority.
      if (done === 0) lowerPriority();
      isReported = true;
      done += elements;
      send({ kind: 'progress', phase: 'reading', done, total });
    }
    // A client may have no resources.
    if (!isReported) await sendRows(index, [], [], []);
    if (sockets.problems.length > 0) await sendRows(index, [], [], sockets.problems);
    const connections = sockets.connections(at ?? now);
    if (connections.length > 0) {
      send({ kind: 'connections', report: index, connections: redactObservation(connections, marker) });
    }
  }
  send({ kind: 'end' });
}

/** The sockets and hosts of one client of the file. MUTABLE. */
class FileSockets {
  readonly #hosts = new Map<string, HostReport>();
  readonly #listeners: ListenerReport[] = [];
  #leftOut = 0;

  add(reported: readonly ReportedSockets[]): void {
    for (const { hosts, listeners } of reported) {
      this.#listeners.push(...listeners);
      for (const host of hosts) {
        if (this.#hosts.size < mostHosts) this.#hosts.set(host.id, host);
        else this.#leftOut += 1;
      }
    }
  }

  get problems(): ReportProblem[] {
    if (this.#leftOut === 0) return [];
    const reason = `expected at most ${mostHosts} hosts, got ${mostHosts + this.#leftOut}; the others are not among the connections`;
    return [{ place: 'cluster_statuses', reason }];
  }

  /** As of the first poll of a live source. */
  connections(at: EpochMs): readonly Connection[] {
    const sockets = { hosts: [...this.#hosts.values()], listeners: this.#listeners };
    return new HostTracker().update(sockets, at)?.changes?.connections ?? [];
  }
}

async function sendRows(
  report: number,
  rows: Extract<FileMessage, { kind: 'batch' }>['rows'],
  bodies: readonly Body[],
  problems: readonly ReportProblem[],
): Promise<void> {
  const packed = packBodies(bodies);
  await sendBatch(
    {
      ...{ kind: 'batch', report, bodies: packed, problems },
      rows: redactObservation(rows, marker),
    },
    [packed.bytes],
  );
  // Acknowledgements arrive between batches.
  await nextTurn();
}

try {
  await (typeof given === 'string' ? readPath(given) : readUpload(given));
} catch (error) {
  send({ kind: 'unknown', reason: error instanceof Error ? error.message : String(error) });
}
parentPort?.close();
