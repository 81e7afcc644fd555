import { createReadStream } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { createRedactionMarker } from '../../codec/redaction-marker';
import { BodyPost } from '../../source-threads/body-post';
import { lowerPriority } from '../../threads/lower-priority';
import { inPages } from '../../workers/in-pages';
import type { ReadRecord } from '../xdscope-format/file-record';
import { splitFileLoad } from '../xdscope-format/load-records';
import { readXdscopeFile } from '../xdscope-format/read-file';
import { XdscopeFileError } from '../xdscope-format/xdscope-file-error';
import { createPacedSender } from './paced-sender';
import type { RecordingMessage, RecordingWorkerData } from './read-recording';
import { RecordRedactor } from './record-redactor';

const { file, redactionKey, maxInflatedBytes, bodyPort }: RecordingWorkerData = workerData;
const bodyPost = new BodyPost(bodyPort);
const redactor = new RecordRedactor(createRedactionMarker(redactionKey));
lowerPriority();
/** A message has at most this many items, so that handling it is short. */
const itemsPerMessage = 50;
const loadValuesPerMessage = 2_000;
const send = createPacedSender<RecordingMessage>(4);

async function sendRecord(record: ReadRecord): Promise<void> {
  if (record.kind === 'bodies') {
    const { bodies, transfer } = bodyPost.pack(record.bodies);
    await send({ kind: 'bodies', bodies }, transfer);
  } else if (record.kind === 'observations') {
    for (const observations of inPages(record.observations, itemsPerMessage))
      await send({ kind: 'record', record: { ...record, observations } });
  } else if (record.kind === 'states') {
    for (const states of inPages(record.states, itemsPerMessage))
      await send({ kind: 'record', record: { ...record, states } });
  } else if (record.kind === 'load') {
    for (const load of splitFileLoad(record.load, loadValuesPerMessage))
      await send({ kind: 'record', record: { ...record, load } });
  } else await send({ kind: 'record', record });
}

try {
  for await (const record of readXdscopeFile(createReadStream(file), { maxInflatedBytes }))
    await sendRecord(redactor.redact(record));
  await send({ kind: 'end' });
} catch (error) {
  if (!(error instanceof XdscopeFileError)) throw error;
  await send({ kind: 'unreadable', code: error.code, message: error.message });
}
parentPort?.close();
