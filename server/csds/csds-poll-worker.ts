import { workerData } from 'node:worker_threads';
import { createCodec } from '../codec/codec';
import { systemClock } from '../observe';
import { serveSources } from '../source-threads/serve-sources';
import type { SourceThreadData } from '../source-threads/source-thread';
import { AnswerReader } from './answer-reader';
import { CsdsPoller } from './csds-poller';
import type { CsdsSetup } from './csds-thread';
import { PollGate } from './poll-gate';

/** Larger answers are read in a thread of their own, because the answers of thousands of other peers wait in this one. */
const inPlaceBytes = 2 * 1024 * 1024;
/**
 * Bytes of answers after which the new objects of the heap are collected. Answers are outside of the heap, and V8 would
 * otherwise collect the whole heap for every few megabytes of them, which is each second in a fleet of 10,000.
 */
const garbageBytes = 4 * 1024 * 1024;
const { redactionKey }: SourceThreadData = workerData;
const codec = createCodec({ redactionKey, inPlaceBytes });
let received = 0;
/** Set by the first source. All sources share one outbox. */
let sent = async (): Promise<void> => undefined;
const gate = new PollGate({ clock: systemClock });
const answers = new AnswerReader({
  codec,
  redactionKey,
  inPlaceBytes,
  beforeReading: () => sent(),
});

serveSources<CsdsSetup>({
  open: (sourceId, setup, { observe, onStatus, onConfirmed, sent: whenSent }) => {
    sent = whenSent;
    return new CsdsPoller({
      ...{ sourceId, codec, answers, gate, observe, onStatus, onConfirmed, ...setup },
      clock: systemClock,
      random: Math.random,
      onReceived: (sizeBytes) => {
        received += sizeBytes;
        if (received < garbageBytes) return;
        received = 0;
        setImmediate(() => globalThis.gc?.({ type: 'minor' }));
      },
    });
  },
  setUserTypes: async (types) => {
    await codec.setUserTypes(types);
    answers.renew();
  },
});
