import { workerData } from 'node:worker_threads';
import { createCodec } from '../codec/codec';
import { systemClock } from '../observe';
import { serveSources } from '../threads/serve-sources';
import type { SourceThreadData } from '../threads/source-thread';
import { AnswerReader } from './answer-reader';
import { CsdsPoller } from './csds-poller';
import type { CsdsSetup } from './csds-thread';
import { PollGate } from './poll-gate';

/** Answers above it are read in a thread of their own: thousands of other peers wait for this one. */
const inPlaceBytes = 2 * 1024 * 1024;

const { redactionKey }: SourceThreadData = workerData;
const codec = createCodec({ redactionKey, inPlaceBytes });
/** Of the one outbox that all have. */
let emptied = async (): Promise<void> => undefined;
const gate = new PollGate({ clock: systemClock });
const answers = new AnswerReader({
  codec,
  redactionKey,
  inPlaceBytes,
  beforeReading: () => emptied(),
});

serveSources<CsdsSetup>({
  open: (sourceId, setup, { observe, onStatus, emptied: whenEmptied }) => {
    emptied = whenEmptied;
    return new CsdsPoller({
      ...{ sourceId, codec, answers, gate, observe, onStatus, ...setup },
      clock: systemClock,
      random: Math.random,
    });
  },
  setUserTypes: async (types) => {
    await codec.setUserTypes(types);
    answers.renew();
  },
});
