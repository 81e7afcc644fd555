import type { CollectedKind, CollectedParts } from '../collector/serve-collector';
import { inPlaceBytes } from '../collector/serve-collector';
import { systemClock } from '../observe';
import { AnswerReader } from './answer-reader';
import { CsdsPoller, type CsdsPollerOptions } from './csds-poller';
import { PollGate } from './poll-gate';

/** The options of a poller that cross the threads, without the id of its source. */
export type CsdsSetup = Pick<
  CsdsPollerOptions,
  'target' | 'isNamed' | 'security' | 'serverName' | 'intervalMs' | 'side' | 'keepaliveMs' | 'maxClients'
>;

/**
 * Bytes of answers after which the new objects of the heap are collected. Answers are outside of the heap, and V8 would
 * otherwise collect the whole heap for every few megabytes of them, which is each second in a fleet of 10,000.
 */
const garbageBytes = 4 * 1024 * 1024;

/** The pollers of CSDS: tens of thousands of answers a minute do not delay pages. */
export function collectCsds({
  redactionKey,
  codec,
  compute,
  sent,
}: CollectedParts): CollectedKind<CsdsSetup> {
  let received = 0;
  const gate = new PollGate({ clock: systemClock });
  const answers = new AnswerReader({ codec, redactionKey, compute, inPlaceBytes, beforeReading: sent });
  return {
    open: (sourceId, setup, { observe, onStatus, onConfirmed }) =>
      new CsdsPoller({
        ...{ sourceId, codec, answers, gate, observe, onStatus, onConfirmed, ...setup },
        clock: systemClock,
        random: Math.random,
        onReceived: (sizeBytes) => {
          received += sizeBytes;
          if (received < garbageBytes) return;
          received = 0;
          setImmediate(() => globalThis.gc?.({ type: 'minor' }));
        },
      }),
    onUserTypes: () => answers.renew(),
  };
}
