import { parentPort, workerData } from 'node:worker_threads';
import type { UserType } from '../codec/codec';
import { createRedactionMarker } from '../codec/redaction-marker';
import { redactObservation } from '../codec/secrets/redact-observation';
import type { Emission } from '../observe';
import type { Confirmation, RunningSource, SourceStatus } from '../source-status';
import { lowerPriority } from '../threads/lower-priority';
import { BodyPost } from './body-post';
import type { SourceCommand } from './source-messages';
import { SourceOutbox } from './source-outbox';
import type { SourceThreadData } from './source-thread';

/** The callbacks of a source of this thread. */
interface SourceCallbacks {
  readonly observe: (emission: Emission) => void;
  readonly onStatus: (status: SourceStatus) => void;
  /** Called in place of onStatus. Confirmations are gathered and sent together. */
  readonly onConfirmed: (confirmation: Confirmation) => void;
  /** Resolves when the main thread has acknowledged everything that was reported. */
  readonly emptied: () => Promise<void>;
  /** Resolves when everything that was reported has been posted. */
  readonly sent: () => Promise<void>;
  /** Does the same as sent(), but returns undefined if everything has been posted. */
  readonly whenSent: () => Promise<void> | undefined;
}

interface ServedSources<Setup> {
  readonly open: (
    sourceId: string,
    setup: Setup,
    callbacks: SourceCallbacks,
  ) => Pick<RunningSource, 'start' | 'pause' | 'close'>;
  readonly setUserTypes: (types: readonly UserType[]) => void | Promise<void>;
  readonly setProbedNodes?: (nodeIds: readonly string[]) => void;
  readonly setServers?: (addresses: readonly string[]) => void;
  /** Called with the bytes of bodies that were transferred. */
  readonly onHandedOver?: (sizeBytes: number) => void;
}

/**
 * The worker's end of a SourceThread: runs its commands. An error here is not an error of one source: it ends the
 * thread, and the main thread reports it.
 */
export function serveSources<Setup>({
  open,
  setUserTypes,
  setProbedNodes,
  setServers,
  onHandedOver,
}: ServedSources<Setup>): void {
  lowerPriority();
  const sources = new Map<number, ReturnType<typeof open>>();
  const bodies = new BodyPost();
  const { redactionKey }: SourceThreadData = workerData;
  const marker = createRedactionMarker(redactionKey);
  const outbox = new SourceOutbox((news, transfer) => {
    parentPort?.postMessage(news, transfer);
    if (news.kind !== 'emission') return;
    const sizeBytes = news.bodies.entries.reduce((sum, entry) => sum + entry.sizeBytes, 0);
    if (sizeBytes > 0) onHandedOver?.(sizeBytes);
  }, bodies);
  const close = async (source: number): Promise<void> => {
    await sources.get(source)?.close();
    sources.delete(source);
    outbox.reportClosed(source);
  };
  const run = (command: SourceCommand<Setup>): void | Promise<void> => {
    switch (command.kind) {
      case 'open': {
        const { source, sourceId, setup } = command;
        const callbacks: SourceCallbacks = {
          // Bodies are redacted where they are read.
          observe: ({ observation, ...emission }) =>
            outbox.emit(source, { ...emission, observation: redactObservation(observation, marker) }),
          onStatus: (status) => outbox.reportStatus(source, status),
          onConfirmed: (confirmation) => outbox.confirm(source, confirmation),
          emptied: () => outbox.emptied(),
          sent: () => outbox.sent(),
          whenSent: () => outbox.whenSent(),
        };
        sources.set(source, open(sourceId, setup, callbacks));
        return;
      }
      case 'start':
        return sources.get(command.source)?.start();
      case 'pause':
        return sources.get(command.source)?.pause();
      case 'close':
        return close(command.source);
      case 'bodies':
        return bodies.connect(command);
      case 'types':
        return setUserTypes(command.types);
      case 'probed':
        return setProbedNodes?.(command.nodeIds);
      case 'servers':
        return setServers?.(command.addresses);
      case 'taken':
        return outbox.taken();
    }
  };
  parentPort?.on('message', run);
}
