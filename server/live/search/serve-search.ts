import { randomUUID } from 'node:crypto';
import { type AwaitingSteps, awaitIn } from '@/lib/cooperative/steps';
import { decodeBody } from '../../codec/decode-body';
import { makeCommonTypes } from '../../codec/root';
import { LogReader } from '../../store/recorder/log-reader';
import type { DataFile } from '../../workers/compute';
import type { SteppedRunners } from '../../workers/serve-jobs';
import { readPayloadTexts } from './payload-texts';
import { ResourceIndex } from './resource-index';
import type { IndexState, SearchJobs } from './search-jobs';

/** The payloads of one job. */
const payloadsAtOnce = 500;
const payloadsPerStep = 10;

export function serveSearch({ file }: DataFile): SteppedRunners<SearchJobs> {
  makeCommonTypes();
  const log = new LogReader(file);
  const worker = randomUUID();
  const index = new ResourceIndex();
  const state = (): IndexState => ({ worker, ...index.state });
  return {
    apply(batch) {
      index.apply(batch);
      return state();
    },
    drop(owners) {
      index.drop(owners);
      return state();
    },
    waiting: () => [...index.payloads.next(payloadsAtOnce).keys()],
    *decode(pending): AwaitingSteps<IndexState> {
      const next = [...index.payloads.next(payloadsAtOnce)];
      for (let at = 0; at < next.length; at += payloadsPerStep) {
        const some = next.slice(at, at + payloadsPerStep);
        const hashes = some.map(([hash]) => hash);
        const bodies = yield* awaitIn(log.readBodies(hashes, pending));
        for (const [hash, typeUrl] of some) {
          const body = bodies.get(hash);
          const found = body && readPayloadTexts(decodeBody(typeUrl, body.bytes, { asV3: true }).json);
          index.payloads.read(hash, found);
        }
        yield;
      }
      return state();
    },
    search: (input) => ({ ...index.search(input), state: state() }),
  };
}
