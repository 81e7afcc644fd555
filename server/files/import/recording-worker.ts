import { createReadStream } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { createRedactionMarker } from '../../codec/redaction-marker';
import { packBodies } from '../../source-threads/source-messages';
import { giveWay } from '../../threads/give-way';
import type { ReadRecord } from '../xdscope-format/file-record';
import { splitFileLoad } from '../xdscope-format/load-records';
import { readXdscopeFile } from '../xdscope-format/read-file';
import { XdscopeFileError } from '../xdscope-format/xdscope-file-error';
import { RecordRedactor } from './record-redactor';
import type { RecordingNews, RecordingWorkerData } from './recording-news';

const { file, redactionKey }: RecordingWorkerData = workerData;
const redactor = new RecordRedactor(createRedactionMarker(redactionKey));
giveWay();
/** So many are reported at once: a turn of who hears it must be short. */
const itemsAtOnce = 50;
const loadValuesAtOnce = 2_000;
/** On their way, and not asked for yet. */
const ahead = 4;

let wanted = ahead;
let onWanted = (): void => undefined;
parentPort?.on('message', () => {
  wanted += 1;
  onWanted();
});

async function post(news: RecordingNews, transfer: readonly ArrayBuffer[] = []): Promise<void> {
  while (wanted === 0) {
    await new Promise<void>((resolve) => {
      onWanted = resolve;
    });
  }
  wanted -= 1;
  parentPort?.postMessage(news, transfer);
}

async function postRecord(record: ReadRecord): Promise<void> {
  if (record.kind === 'bodies') {
    const bodies = packBodies(record.bodies);
    await post({ kind: 'bodies', bodies }, [bodies.bytes]);
  } else if (record.kind === 'observations') {
    const { kind } = record;
    for (const observations of inParts(record.observations))
      await post({ kind: 'record', record: { kind, observations } });
  } else if (record.kind === 'states') {
    const { kind } = record;
    for (const states of inParts(record.states)) await post({ kind: 'record', record: { kind, states } });
  } else if (record.kind === 'load') {
    const { kind } = record;
    for (const load of splitFileLoad(record.load, loadValuesAtOnce))
      await post({ kind: 'record', record: { kind, load } });
  } else await post({ kind: 'record', record });
}

function* inParts<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < items.length; at += itemsAtOnce) yield items.slice(at, at + itemsAtOnce);
}

try {
  for await (const record of readXdscopeFile(createReadStream(file)))
    await postRecord(redactor.redact(record));
  await post({ kind: 'over' });
} catch (error) {
  if (!(error instanceof XdscopeFileError)) throw error;
  await post({ kind: 'unreadable', code: error.code, message: error.message });
}
parentPort?.close();
