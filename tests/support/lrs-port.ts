import { createServer } from 'node:net';
import { LrsThread } from '@/server/lrs/lrs-thread';
import { systemClock } from '@/server/observe';

export interface LrsPort {
  readonly target: string;
  /** Load reports observed so far. */
  readonly reports: () => number;
  readonly close: () => Promise<void>;
}

/** The LRS port as a server has it: in its own thread, observed from this one. */
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

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('expected a port');
  return address.port;
}
