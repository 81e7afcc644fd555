import { parentPort } from 'node:worker_threads';
import type { UserType } from '../codec/codec';
import type { Emission } from '../observe';
import type { Confirmation, RunningSource, SourceStatus } from '../source-status';
import { giveWay } from '../threads/give-way';
import type { SourceCommand } from './source-messages';
import { SourceOutbox } from './source-outbox';

/** How a source of this thread reports what it saw and how it is. */
export interface SourceEars {
  readonly observe: (emission: Emission) => void;
  readonly onStatus: (status: SourceStatus) => void;
  /** In place of onStatus: many cross together, a moment later. */
  readonly onConfirmed: (confirmation: Confirmation) => void;
  /** Resolves when all that was reported so far is taken by the main thread. */
  readonly emptied: () => Promise<void>;
  /** Resolves when all that was reported so far is on its way there. */
  readonly sent: () => Promise<void>;
  /** As sent; undefined: it is already. */
  readonly whenSent: () => Promise<void> | undefined;
}

export interface ServedSources<Setup> {
  readonly open: (
    sourceId: string,
    setup: Setup,
    ears: SourceEars,
  ) => Pick<RunningSource, 'start' | 'pause' | 'close'>;
  readonly setUserTypes: (types: readonly UserType[]) => void | Promise<void>;
  /** So many bytes of bodies went to the main thread, and are here no more. */
  readonly onHandedOver?: (sizeBytes: number) => void;
}

/**
 * A thread of sources, from the inside: does what the main thread's SourceThread says. What fails here is no fault of
 * one source: it ends the thread, and the main thread reports it.
 */
export function serveSources<Setup>({ open, setUserTypes, onHandedOver }: ServedSources<Setup>): void {
  giveWay();
  const sources = new Map<number, ReturnType<typeof open>>();
  const outbox = new SourceOutbox((news, transfer) => {
    // Before they are handed over: of what is gone the length is 0.
    const sizeBytes = transfer.reduce((sum, { byteLength }) => sum + byteLength, 0);
    parentPort?.postMessage(news, transfer);
    if (sizeBytes > 0) onHandedOver?.(sizeBytes);
  });
  const close = async (source: number): Promise<void> => {
    await sources.get(source)?.close();
    sources.delete(source);
    outbox.reportClosed(source);
  };
  const run = (command: SourceCommand<Setup>): void | Promise<void> => {
    switch (command.kind) {
      case 'open': {
        const { source, sourceId, setup } = command;
        const ears: SourceEars = {
          observe: (emission) => outbox.sight(source, emission),
          onStatus: (status) => outbox.reportStatus(source, status),
          onConfirmed: (confirmation) => outbox.confirm(source, confirmation),
          emptied: () => outbox.emptied(),
          sent: () => outbox.sent(),
          whenSent: () => outbox.whenSent(),
        };
        sources.set(source, open(sourceId, setup, ears));
        return;
      }
      case 'start':
        return sources.get(command.source)?.start();
      case 'pause':
        return sources.get(command.source)?.pause();
      case 'close':
        return close(command.source);
      case 'types':
        return setUserTypes(command.types);
      case 'taken':
        return outbox.taken();
    }
  };
  parentPort?.on('message', run);
}
