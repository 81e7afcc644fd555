import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { createCodec } from '../../../codec/codec';
import { lowerPriority } from '../../../workers/threads/lower-priority';
import { SourceOutbox } from '../../collector/source-outbox';
import type { CopyBatch } from '../copy-events';
import type { RecordingCommand } from '../tap-messages';
import { Recording } from './recording';

export interface TapRecordingData {
  readonly redactionKey: Uint8Array;
}

lowerPriority(10);

const { redactionKey }: TapRecordingData = workerData;
const codec = createCodec({ redactionKey });
const outbox = new SourceOutbox((news, transfer) => parentPort?.postMessage(news, transfer));
const recording = new Recording({
  codec,
  onEmission: (tap, emission) => outbox.emit(tap, emission),
  onNote: (tap, note) => parentPort?.postMessage({ kind: 'note', tap, note }),
  onTapClosed: (tap) => outbox.reportClosed(tap),
});

/** Batches that wait. An answer may be among them. */
let waiting = 0;

function checkAnswers(): void {
  // The messages that have arrived are handled before.
  setImmediate(() => {
    if (waiting === 0) recording.checkAnswers(Date.now());
  });
}

/** Records one batch after the other. A batch is acknowledged once what was recorded of it has been posted. */
function listen(port: MessagePort): void {
  let reading = Promise.resolve();
  port.on('message', (batch: CopyBatch) => {
    waiting += 1;
    reading = reading.then(async () => {
      recording.record(batch);
      waiting -= 1;
      await outbox.sent();
      port.postMessage('processed');
    });
  });
}

function run(command: RecordingCommand): void | Promise<void> {
  switch (command.kind) {
    case 'tap':
      return recording.addTap(command.tap, command.sourceId);
    case 'client':
      return recording.addClient(command.tap, command.client);
    case 'copies':
      return listen(command.port);
    case 'types':
      return codec.setUserTypes(command.types);
    case 'taken':
      return outbox.taken();
  }
}

// An error ends the thread. Streams continue, and the main thread starts another recording thread.
parentPort?.on('message', run);
setInterval(checkAnswers, 1_000).unref();
