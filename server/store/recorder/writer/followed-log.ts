import type { Emission } from '@/server/observe';
import type { LogWriter } from './log-writer';

/** What the recorder needs of whoever gives observations their seqs. */
export type LogInput = Pick<
  LogWriter,
  | 'append'
  | 'flushed'
  | 'keepPace'
  | 'probe'
  | 'close'
  | 'state'
  | 'isRushed'
  | 'waiting'
  | 'ackedSeq'
  | 'missed'
> & { readonly bodies: Pick<LogWriter['bodies'], 'findPending' | 'hasNonePending' | 'forget'> };

/**
 * The log of a shared store, as far as this process has read it. Other processes write it: what is appended here is there already,
 * under the seq that it has.
 */
export function followLog(findReachedSeq: () => number, onFollowed: () => void): LogInput {
  const done = Promise.resolve();
  return {
    append({ seq, observation }: Emission) {
      if (seq === undefined)
        throw new Error(`expected a ${observation.kind} with its seq in the store, got none`);
      return seq;
    },
    flushed: () => Promise.resolve(findReachedSeq()),
    keepPace() {
      onFollowed();
      return done;
    },
    probe: () => undefined,
    close: () => done,
    state: { state: 'recording', reason: '' },
    isRushed: false,
    waiting: 0,
    missed: 0,
    get ackedSeq() {
      return findReachedSeq();
    },
    bodies: { findPending: () => undefined, hasNonePending: true, forget: () => undefined },
  };
}
