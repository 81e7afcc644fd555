import { closeSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { type ByteSource, reaches, sourceOf, wholeOf } from '../../codec/dump-parser/byte-source';
import { planReport } from '../../codec/dump-parser/plan-report';
import { readReport } from '../../codec/dump-parser/read-report';
import type { PlannedReport, ReportPlan, ReportProblem } from '../../codec/dump-parser/report-plan';
import { createRedactionMarker } from '../../codec/redaction-marker';
import { makeUsualTypes } from '../../codec/root';
import { redactObservation } from '../../codec/secrets/redact-observation';
import type { Body } from '../../observe';
import { BodyPost } from '../../source-threads/body-post';
import { nextTurn } from '../../threads/in-slices';
import { lowerPriority } from '../../threads/lower-priority';
import { isRecording, magic } from '../xdscope-format/file-format';
import type { FileMessage, FileWorkerData } from './file-messages';
import { IncomingBytes } from './incoming-bytes';
import { NewestMoment } from './newest-moment';
import { createPacedSender } from './paced-sender';
import { fileReportOf, Preview } from './preview';
import { findPacking, largestUnpackedBytes, type Packing, unpackFile } from './unpack-file';
import { UploadChunks, type UploadEnd } from './upload-channel';

const { file: given, uploadFile, unpackedFile, redactionKey, bodyPort, now }: FileWorkerData = workerData;
const marker = createRedactionMarker(redactionKey);
const bodyPost = new BodyPost(bodyPort);
/** The file is read in pieces of this size. */
const pieceBytes = 8 * 1024 * 1024;

/** Number of batches that this thread is ahead of the main thread. */
const sendBatch = createPacedSender<FileMessage>(4);
// Runs while the beginning of the file arrives.
makeUsualTypes();

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

const formatNames = { json: 'JSON', yaml: 'YAML', text: 'protobuf text', protobuf: 'protobuf' } as const;

/** Reads an upload while it arrives, unless it is packed or a recording. */
async function readUpload(end: UploadEnd): Promise<void> {
  const chunks = new UploadChunks(end);
  const moment = new NewestMoment(now);
  const source = new IncomingBytes(chunks, end.sizeBytes, (bytes) => moment.scan(bytes));
  reaches(source, magic.length - 1);
  const start = Buffer.from(source.bytes.subarray(0, Math.min(magic.length, source.length)));
  if (source.length === 0) sendEmpty();
  else if (findPacking(start) === undefined && !isRecording(start)) {
    const preview = new Preview(marker, moment, bodyPost, send);
    await readDocument(source, moment, [], '', (report) => preview.update(report));
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
  const { size } = statSync(file);
  if (size === 0) {
    sendEmpty();
    return;
  }
  const { layers, cut, ...unpacked } = await unpackFile(file, unpackedFile, (done) =>
    send({ kind: 'progress', phase: 'unpacking', done, total: null }),
  );
  const bytes = readWhole(unpacked.file);
  if (isRecording(Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(magic.length, bytes.length)))) {
    send({ kind: 'recording', file: unpacked.file });
    return;
  }
  send({ kind: 'progress', phase: 'reading', done: 0, total: null });
  await readDocument(sourceOf(bytes), new NewestMoment(now), layers, cut);
}

function sendEmpty(): void {
  send({ kind: 'unknown', reason: 'expected a file, got an empty one' });
}

/** `broken` is the reason why the end of the file is missing, or empty. */
async function readDocument(
  source: ByteSource,
  moment: NewestMoment,
  layers: readonly Packing[],
  broken: string,
  onElement?: (report: PlannedReport) => void,
): Promise<void> {
  const plan = planReport(source, { onElement });
  const bytes = wholeOf(source);
  const cut: ReportProblem[] = broken === '' ? [] : [{ place: '', offset: bytes.length, reason: broken }];
  const problems = [...cut, ...plan.problems];
  if (plan.reports.length === 0) {
    await sendRows(-1, [], [], problems);
    const [first] = problems;
    const where = first === undefined || first.place === '' ? '' : `${first.place}: `;
    send({ kind: 'unknown', reason: `${where}${first?.reason ?? 'expected xDS resources, found none'}` });
    return;
  }
  const what = [plan.kinds.join(', '), formatNames[plan.format], ...layers].filter(Boolean).join(', ');
  await sendPlan(plan, what, problems, plan.format === 'json' ? moment.findIn(bytes) : null);
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
    for (const { rows, bodies, problems: found, elements } of readReport(report, marker)) {
      await sendRows(index, rows, bodies, found);
      // The first batch is shown as soon as possible; then the main thread has priority.
      if (done === 0) lowerPriority();
      isReported = true;
      done += elements;
      send({ kind: 'progress', phase: 'reading', done, total });
    }
    // A client without resources.
    if (!isReported) await sendRows(index, [], [], []);
  }
  send({ kind: 'end' });
}

async function sendRows(
  report: number,
  rows: Extract<FileMessage, { kind: 'batch' }>['rows'],
  bodies: readonly Body[],
  problems: readonly ReportProblem[],
): Promise<void> {
  const packed = bodyPost.pack(bodies);
  await sendBatch(
    {
      ...{ kind: 'batch', report, bodies: packed.bodies, problems },
      rows: redactObservation(rows, marker),
    },
    packed.transfer,
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
