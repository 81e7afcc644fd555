import { LrsThread } from '@/server/collect/lrs/lrs-thread';
import { systemClock } from '@/server/observe';
import { freePort } from './free-port';

export interface LrsPort {
  readonly target: string;
  /** Load reports observed so far. */
  readonly reports: () => number;
  readonly close: () => Promise<void>;
}

/** An LRS port in its own thread, like that of a server. */
export async function openLrsPort(): Promise<LrsPort> {
  let reports = 0;
  const thread = new LrsThread({
    redactionKey: new Uint8Array(32),
    clock: systemClock,
    keepPace: async () => undefined,
  });
  const port = await freePort();
  const receiver = thread.open({
    ...{ sourceId: 'lrs', setup: { listen: { port } }, clock: systemClock, onStatus: () => undefined },
    observe: ({ observation }) => {
      if (observation.kind === 'load-reported') reports += 1;
    },
  });
  receiver.start();
  await thread.whenListening();
  return { target: `127.0.0.1:${port}`, reports: () => reports, close: () => thread.close() };
}
