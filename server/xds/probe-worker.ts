import { parentPort, workerData } from 'node:worker_threads';
import { createCodec } from '../codec/codec';
import { systemClock } from '../observe';
import { collectGarbage } from './collect-garbage';
import { Probe } from './probe';
import type { ProbeCommand } from './probe-messages';
import { ProbeOutbox } from './probe-outbox';

export interface ProbeWorkerData {
  readonly redactionKey: Uint8Array;
}

/** Responses above it leave garbage that is worth collecting. */
const largeBytes = 16 * 1024 * 1024;

const { redactionKey }: ProbeWorkerData = workerData;
const codec = createCodec({ redactionKey });
const probes = new Map<number, Probe>();
const outbox = new ProbeOutbox((news, transfer) => parentPort?.postMessage(news, transfer));

function open({ probe, sourceId, settings, node }: Extract<ProbeCommand, { kind: 'open' }>): void {
  probes.set(
    probe,
    new Probe({
      ...{ sourceId, settings, node, codec },
      clock: systemClock,
      observe: (sighting) => outbox.sight(probe, sighting),
      onStatus: (status) => outbox.tellStatus(probe, status),
      whenTold: async (sizeBytes) => {
        await outbox.emptied();
        if (sizeBytes > largeBytes) setImmediate(collectGarbage);
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
