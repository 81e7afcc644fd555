import { storedKinds } from '../blocks/block-columns';
import type { LogBlock } from '../blocks/log-block';
import type { LogBlocks } from '../blocks/log-blocks';

/** Limits the blocks in which the other observation of a pair is searched for. */
const blocksAround = 8;
const response = storedKinds.indexOf('response-received');
const ack = storedKinds.indexOf('ack-sent');
const nack = storedKinds.indexOf('nack-sent');

interface Pair {
  readonly seq: number;
  readonly at: number;
  /** A client repeats its NACK in the next request with changed names. Such a NACK does not answer a new response. */
  readonly isReportedAgain: boolean;
}

/** Returns the next answer to a response, or the response before an answer, with equal stream, type and nonce. */
export function findPair(log: LogBlocks, block: LogBlock, index: number): Pair | undefined {
  const { columns } = block;
  const kind = columns.kinds[index];
  if (kind !== response && kind !== ack && kind !== nack) return undefined;
  const isResponse = kind === response;
  const stream = block.textOf('streams', index);
  const type = block.textOf('types', index);
  const nonce = columns.nonces[index];
  if (stream === null || type === null || nonce === 0) return undefined;
  const seq = block.seqAt(index);
  const range = isResponse
    ? ({ afterSeq: seq, order: 'asc' } as const)
    : ({ beforeSeq: seq, order: 'desc' } as const);
  let visited = 0;
  let isReportedAgain = false;
  for (const near of log.between(range)) {
    if (near === null || visited++ >= blocksAround) break;
    const streamNumber = near.numberOf(stream);
    const typeNumber = near.numberOf(type);
    if (streamNumber === undefined || typeNumber === undefined) continue;
    const { streams, types, nonces, kinds } = near.columns;
    const from = near.firstAfter(isResponse ? seq : seq - 1) - (isResponse ? 0 : 1);
    const step = isResponse ? 1 : -1;
    for (let place = from; place >= 0 && place < near.count; place += step) {
      if (streams[place] !== streamNumber || nonces[place] !== nonce || types[place] !== typeNumber) continue;
      const isAnswer = kinds[place] === ack || kinds[place] === nack;
      const isPair = isResponse ? isAnswer : kinds[place] === response;
      if (isPair) return { seq: near.seqAt(place), at: near.atAt(place), isReportedAgain };
      isReportedAgain ||= isAnswer && near.seqAt(place) !== seq;
    }
  }
  return undefined;
}
