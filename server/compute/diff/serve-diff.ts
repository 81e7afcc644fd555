import { type AwaitingSteps, awaitIn } from '@/lib/cooperative/steps';
import type { BodyOutcome } from '@/lib/views/compare/diff-item';
import { makeCommonTypes } from '../../codec/root';
import { LogReader } from '../../store/recorder/log-reader';
import type { DataFile } from '../../workers/compute';
import { inPages } from '../../workers/in-pages';
import type { SteppedRunners } from '../../workers/serve-jobs';
import { DiffBuilder } from './diff-builder';
import { bodyPairOf, type DiffJobs } from './diff-jobs';

const pairsAtOnce = 100;

export function serveDiff({ file }: DataFile): SteppedRunners<DiffJobs> {
  makeCommonTypes();
  const builder = new DiffBuilder();
  const log = new LogReader(file);
  return {
    *outcomes({ pairs, pending }): AwaitingSteps<(BodyOutcome | null)[]> {
      const outcomes: (BodyOutcome | null)[] = [];
      for (const page of inPages(pairs, pairsAtOnce)) {
        const hashes = page.flatMap(({ left, right }) => [left, right]);
        const bodies = yield* awaitIn(log.readBodies(hashes, pending));
        for (const pair of page) {
          const found = bodyPairOf(pair, bodies);
          outcomes.push(found === undefined ? null : builder.outcome(found));
        }
        yield;
      }
      return outcomes;
    },
    async tree({ pair, limit, pending }) {
      const found = bodyPairOf(pair, await log.readBodies([pair.left, pair.right], pending));
      return found === undefined ? null : builder.tree(found, limit);
    },
  };
}
