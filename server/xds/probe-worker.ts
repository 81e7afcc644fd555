import { parentPort, workerData } from 'node:worker_threads';
import { createCodec } from '../codec/codec';
import { systemClock } from '../observe';
import { collectGarbage } from '../threads/collect-garbage';
import { Probe } from './probe';
import type { ProbeCommand } from './probe-messages';
import { ProbeOutbox } from './probe-outbox';

export interface ProbeWorkerData {
  readonly redactionKey: Uint8Array;
}

/** Responses above it leave garbage that is worth collecting; and so much of them, each time it was told. */
const largeBytes = 16 * 1024 * 1024;

const { redactionKey }: ProbeWorkerData = workerData;
const codec = createCodec({ redactionKey });
const probes = new Map<number, Probe>();
let toldBytes = 0;
const outbox = new ProbeOutbox((news, transfer) => {
  // Before they are handed over: of what is gone the length is 0.
  for (const { byteLength } of transfer) toldBytes += byteLength;
  parentPort?.postMessage(news, transfer);
  if (toldBytes < largeBytes) return;
  toldBytes = 0;
  setImmediate(collectGarbage);
});

function open({ probe, sourceId, settings, node }: Extract<ProbeCommand, { kind: 'open' }>): void {
  probes.set(
    probe,
    new Probe({
      ...{ sourceId, settings, node, codec },
      clock: systemClock,
      observe: (sighting) => outbox.sight(probe, sighting),
      onStatus: (status) => outbox.tellStatus(probe, status),
      whenTold: async (sizeBytes) => {
        const isLarge = sizeBytes > largeBytes;
        // What was read with, before what is told piles up beside it.
        if (isLarge) setImmediate(collectGarbage);
        await outbox.emptied();
        if (isLarge) setImmediate(collectGarbage);
      },
    }),
  );
}

async function close(probe: number): Promise<void> {
  await probes.get(probe)?.close();
  probes.delete(probe);
  outbox.tellClosed(probe);
}

function run(command: ProbeCommand): void | Promise<void> {
  switch (command.kind) {
    case 'open':
      return open(command);
    case 'start':
      return probes.get(command.probe)?.start();
    case 'pause':
      return probes.get(command.probe)?.pause();
    case 'close':
      return close(command.probe);
    case 'types':
      return codec.setUserTypes(command.types);
    case 'taken':
      return outbox.taken();
  }
}

// What fails here is no fault of one probe: it ends the thread, and the main thread tells of it.
parentPort?.on('message', run);
