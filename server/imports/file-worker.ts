import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { createRedactionMarker } from '../codec/redaction-marker';
import { planReport } from '../codec/report/plan-report';
import { nodeOf, readReport } from '../codec/report/read-report';
import type { ReportPlan, ReportProblem } from '../codec/report/report-plan';
import { messageType } from '../codec/root';
import { giveWay } from '../threads/give-way';
import { nextTurn } from '../threads/in-slices';
import { packBodies } from '../threads/source-messages';
import type { FileCommand, FileNews, FileWorkerData } from './file-news';
import { findNewestMoment } from './newest-moment';
import { recogniseFile, startBytes } from './recognise-file';
import { largestUnpackedBytes, unpackFile } from './unpack-file';

const { unpackedFile, redactionKey, now }: FileWorkerData = workerData;
giveWay();
/** So much is read at once, and told. */
const pieceBytes = 8 * 1024 * 1024;

/** Batches that may be on their way, or wait to be dealt with: this thread goes on meanwhile. */
const batchesAhead = 4;

let room = batchesAhead;
let onRoom = (): void => undefined;
let onFile = (_file: string): void => undefined;
const whenThere = new Promise<string>((resolve) => {
  onFile = resolve;
});
parentPort?.on('message', (command: FileCommand) => {
  if (command.kind === 'read') {
    onFile(command.file);
    return;
  }
  room += 1;
  onRoom();
});
// While the file comes in: every type is found from here, and that takes as long as a megabyte of it.
messageType('envoy.admin.v3.ConfigDump');

function tell(news: FileNews, transfer: readonly ArrayBuffer[] = []): void {
  parentPort?.postMessage(news, transfer);
}

/** Told when there is room for it. Messages are heard in between, so that room is made. */
async function tellWhenRoom(news: FileNews, transfer: readonly ArrayBuffer[]): Promise<void> {
  while (room === 0) {
    await new Promise<void>((resolve) => {
      onRoom = resolve;
    });
  }
  room -= 1;
  tell(news, transfer);
  await nextTurn();
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

async function run(file: string): Promise<void> {
  const { size } = statSync(file);
  if (size === 0) {
    tell({ kind: 'unknown', reason: 'expected a file, got an empty one' });
    return;
  }
  const unpacked = await unpackFile(file, unpackedFile, (done) =>
    tell({ kind: 'progress', phase: 'unpacking', done, total: null }),
  );
  const bytes = readWhole(unpacked.file);
  if (
    recogniseFile(Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(startBytes, bytes.length))) ===
    'xdscope'
  ) {
    tell({ kind: 'recording', file: unpacked.file });
    return;
  }
  tell({ kind: 'progress', phase: 'reading', done: 0, total: null });
  const plan = planReport(bytes);
  const cut: ReportProblem[] =
    unpacked.cut === '' ? [] : [{ place: '', offset: bytes.length, reason: unpacked.cut }];
  const problems = [...cut, ...plan.problems];
  if (plan.reports.length === 0) {
    await tellBatch(-1, [], [], problems);
    const [first] = problems;
    const where = first === undefined || first.place === '' ? '' : `${first.place}: `;
    tell({ kind: 'unknown', reason: `${where}${first?.reason ?? 'expected xDS resources, found none'}` });
    return;
  }
  const what = [plan.kinds.join(', '), formatNames[plan.format], ...unpacked.layers]
    .filter(Boolean)
    .join(', ');
  await tellPlan(plan, what, problems, plan.format === 'json' ? findNewestMoment(bytes, now) : null);
}

async function tellPlan(
  { reports }: ReportPlan,
  what: string,
  problems: readonly ReportProblem[],
  at: number | null,
): Promise<void> {
  const marker = createRedactionMarker(redactionKey);
  tell({
    kind: 'begin',
    what,
    at,
    reports: reports.map((report) => ({
      node: nodeOf(report, marker),
      scope: report.scope,
      label: report.label,
      side: report.side,
    })),
  });
  const total = reports.reduce((sum, { elementCount }) => sum + elementCount, 0);
  let done = 0;
  if (problems.length > 0) await tellBatch(-1, [], [], problems);
  for (const [index, report] of reports.entries()) {
    let isTold = false;
    for (const { rows, bodies, problems: found, elements } of readReport(report, marker)) {
      await tellBatch(index, rows, bodies, found);
      isTold = true;
      done += elements;
      tell({ kind: 'progress', phase: 'reading', done, total });
    }
    // A client of which nothing but its name is told.
    if (!isTold) await tellBatch(index, [], [], []);
  }
  tell({ kind: 'end' });
}

async function tellBatch(
  report: number,
  rows: Extract<FileNews, { kind: 'batch' }>['rows'],
  bodies: Parameters<typeof packBodies>[0],
  problems: readonly ReportProblem[],
): Promise<void> {
  const packed = packBodies(bodies);
  await tellWhenRoom({ kind: 'batch', report, rows, bodies: packed, problems }, [packed.bytes]);
}

try {
  await run(await whenThere);
} catch (error) {
  tell({ kind: 'unknown', reason: error instanceof Error ? error.message : String(error) });
}
parentPort?.close();
