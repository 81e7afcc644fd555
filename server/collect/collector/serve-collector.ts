import { parentPort, workerData } from 'node:worker_threads';
import { type Codec, createCodec } from '../../codec/codec';
import { createRedactionMarker, type RedactionMarker } from '../../codec/redaction-marker';
import { redactObservation } from '../../codec/secrets/redact-observation';
import { systemClock } from '../../observe';
import type { RunningSource, SourceHandler } from '../../source-status';
import { Compute } from '../../workers/compute';
import { nextTurn } from '../../workers/threads/in-slices';
import { lowerPriority } from '../../workers/threads/lower-priority';
import { PollBudget } from '../poll-diff/poll-budget';
import { PollGate } from '../poll-diff/poll-gate';
import type { PollerOptions } from '../poll-diff/poller';
import type { CollectorData } from './collector';
import type { OpenCommand, ProcessFacts, SourceCommand } from './source-messages';
import { SourceOutbox } from './source-outbox';

interface CollectedSource<Request> extends Pick<RunningSource, 'start' | 'pause' | 'close'> {
  /** Absent: the kind has no requests. Resolves with a sentence about what failed, or undefined. */
  handle?(request: Request): Promise<string | undefined>;
}

/** The sources of one kind in the thread of the collector. */
export interface CollectedKind<Setup, Request = never> {
  open(sourceId: string, setup: Setup, handler: SourceHandler): CollectedSource<Request>;
  /** Called after the types of the thread were replaced. */
  readonly onUserTypes?: () => void;
  /** Called after each change of the facts. */
  readonly onProcess?: (facts: ProcessFacts) => void;
}

/** What the kinds of one thread share. */
export interface CollectedParts extends CollectorData {
  readonly marker: RedactionMarker;
  readonly codec: Codec;
  /** What the pollers of all kinds share. */
  readonly polling: Required<Pick<PollerOptions, 'clock' | 'random' | 'budget' | 'gate'>>;
  /** For what takes long to read. */
  readonly compute: Compute;
  /** Resolves when everything that was reported has been posted; undefined if it has. */
  readonly sent: () => Promise<void> | undefined;
  /** Resolves when the main thread has acknowledged everything that was reported. */
  readonly emptied: () => Promise<void>;
  /** Resolves for one caller in a turn of the event loop, once what was reported before has been posted. */
  readonly readingTurn: () => Promise<void>;
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

/** Bytes of transferred bodies after which the garbage of this thread is collected. */
const garbageBytes = 16 * 1024 * 1024;

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
  let transferredBytes = 0;
  const outbox = new SourceOutbox((news, transfer) => {
    parentPort?.postMessage(news, transfer);
    // What a body was copied from is garbage from now on.
    transferredBytes += transfer.reduce((sum, { byteLength }) => sum + byteLength, 0);
    if (transferredBytes < garbageBytes) return;
    transferredBytes = 0;
    globalThis.gc?.();
  });
  let turn: Promise<unknown> = Promise.resolve();
  const clock = systemClock;
  const parts: CollectedParts = {
    ...{ redactionKey, marker, codec, compute },
    polling: { clock, random: Math.random, budget: new PollBudget(clock), gate: new PollGate({ clock }) },
    sent: () => outbox.sent(),
    emptied: () => outbox.emptied(),
    readingTurn: () => {
      const mine = turn.then(() => outbox.sent());
      turn = mine.then(nextTurn);
      return mine;
    },
  };
  const kinds = new Map<keyof Setups, CollectedKind<Setups[keyof Setups]>>();
  for (const name in creators) kinds.set(name, creators[name](parts));
  const sources = new Map<number, CollectedSource<never>>();
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
    const handler: SourceHandler = {
      // Bodies are redacted where they are read.
      observe: ({ observation, ...emission }) =>
        outbox.emit(source, { ...emission, observation: redactObservation(observation, marker) }),
      onStatus: (status) => outbox.reportStatus(source, status),
    };
    sources.set(source, kind.open(sourceId, setup, handler));
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
      case 'process':
        for (const kind of kinds.values()) kind.onProcess?.(command.facts);
        return;
      case 'taken':
        return outbox.taken();
    }
  };
  parentPort?.on('message', run);
}
