import { parentPort, workerData } from 'node:worker_threads';
import { type Codec, createCodec } from '../../codec/codec';
import { createRedactionMarker, type RedactionMarker } from '../../codec/redaction-marker';
import { redactObservation } from '../../codec/secrets/redact-observation';
import { type Emission, systemClock } from '../../observe';
import type { Confirmation, RunningSource, SourceStatus } from '../../source-status';
import { Compute } from '../../workers/compute';
import { lowerPriority } from '../../workers/threads/lower-priority';
import { PollBudget } from '../poll-diff/poll-budget';
import type { PollerOptions } from '../poll-diff/poller';
import type { CollectorData } from './collector';
import type { OpenCommand, SourceCommand } from './source-messages';
import { SourceOutbox } from './source-outbox';

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

interface CollectedSource<Request> extends Pick<RunningSource, 'start' | 'pause' | 'close'> {
  /** Absent: the kind has no requests. Resolves with a sentence about what failed, or undefined. */
  handle?(request: Request): Promise<string | undefined>;
}

/** The sources of one kind in the thread of the collector. */
export interface CollectedKind<Setup, Request = never> {
  open(sourceId: string, setup: Setup, callbacks: SourceCallbacks): CollectedSource<Request>;
  /** Called after the types of the thread were replaced. */
  readonly onUserTypes?: () => void;
  readonly setProbedNodes?: (nodeIds: readonly string[]) => void;
  readonly setServers?: (addresses: readonly string[]) => void;
  /** Called with the bytes of bodies that were transferred. */
  readonly onHandedOver?: (sizeBytes: number) => void;
}

/** What the kinds of one thread share. */
export interface CollectedParts extends CollectorData {
  readonly marker: RedactionMarker;
  readonly codec: Codec;
  /** What the pollers of all kinds share. */
  readonly polling: Required<Pick<PollerOptions, 'clock' | 'random' | 'budget'>>;
  /** For what takes long to read. */
  readonly compute: Compute;
  /** Resolves when everything that was reported has been posted. */
  readonly sent: () => Promise<void>;
}

/** By the name of each kind, the function that creates it when the thread starts. */
type CollectedKinds<Setups> = {
  readonly [Kind in keyof Setups]: (parts: CollectedParts) => CollectedKind<Setups[Kind]>;
};

/** The setup of each kind, by the functions that create the kinds. */
export type SetupsOf<Creators> = {
  readonly [Kind in keyof Creators]: Creators[Kind] extends (
    parts: CollectedParts,
  ) => CollectedKind<infer Setup, infer _>
    ? Setup
    : never;
};

/** Larger messages are decoded in a thread of their own, because the messages of thousands of other peers wait in this one. */
export const inPlaceBytes = 2 * 1024 * 1024;

/**
 * The worker's end of a Collector: runs its commands. An error here is not an error of one source: it ends the
 * thread, and the main thread reports it.
 */
export function serveCollector<Setups>(creators: CollectedKinds<Setups>): void {
  lowerPriority();
  const { redactionKey }: CollectorData = workerData;
  const marker = createRedactionMarker(redactionKey);
  const compute = new Compute();
  const codec = createCodec({ redactionKey, inPlaceBytes, compute });
  const outbox = new SourceOutbox((news, transfer) => {
    parentPort?.postMessage(news, transfer);
    if (news.kind !== 'emission') return;
    const sizeBytes = news.bodies.entries.reduce((sum, entry) => sum + entry.sizeBytes, 0);
    if (sizeBytes > 0) sources.get(news.source)?.onHandedOver?.(sizeBytes);
  });
  const polling = { clock: systemClock, random: Math.random, budget: new PollBudget(systemClock) };
  const parts: CollectedParts = {
    ...{ redactionKey, marker, codec, polling, compute },
    sent: () => outbox.sent(),
  };
  const kinds = new Map<keyof Setups, CollectedKind<Setups[keyof Setups]>>();
  for (const name in creators) kinds.set(name, creators[name](parts));
  const sources = new Map<
    number,
    ReturnType<CollectedKind<unknown>['open']> & Pick<CollectedKind<unknown>, 'onHandedOver'>
  >();
  const close = async (source: number): Promise<void> => {
    await sources.get(source)?.close();
    sources.delete(source);
    outbox.reportClosed(source);
  };
  const answer = async (source: number, id: number, request: unknown): Promise<void> => {
    // The main thread sends the requests of the kind of the source.
    const problem = await sources.get(source)?.handle?.(request as never);
    outbox.answer({ kind: 'answered', source, id, problem });
  };
  const open = ({ source, sourceId, sourceKind, setup }: OpenCommand<Setups>): void => {
    const kind = kinds.get(sourceKind);
    if (kind === undefined) throw new Error(`the collector has no kind ${String(sourceKind)}`);
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
    const { onHandedOver } = kind;
    const opened = kind.open(sourceId, setup, callbacks);
    sources.set(source, {
      start: () => opened.start(),
      pause: () => opened.pause(),
      close: () => opened.close(),
      ...(opened.handle && { handle: opened.handle.bind(opened) }),
      ...(onHandedOver && { onHandedOver }),
    });
  };
  const run = (command: SourceCommand<Setups>): void | Promise<void> => {
    switch (command.kind) {
      case 'open':
        return open(command);
      case 'start':
        return sources.get(command.source)?.start();
      case 'pause':
        return sources.get(command.source)?.pause();
      case 'close':
        return close(command.source);
      case 'request':
        return answer(command.source, command.id, command.request);
      case 'types':
        codec.setUserTypes(command.types);
        for (const kind of kinds.values()) kind.onUserTypes?.();
        return;
      case 'probed':
        for (const kind of kinds.values()) kind.setProbedNodes?.(command.nodeIds);
        return;
      case 'servers':
        for (const kind of kinds.values()) kind.setServers?.(command.addresses);
        return;
      case 'taken':
        return outbox.taken();
    }
  };
  parentPort?.on('message', run);
}
