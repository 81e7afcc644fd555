import { makeCommonTypes } from '../../codec/root';
import { LogReader } from '../../store/recorder/log-reader';
import type { DataFile } from '../../workers/compute';
import type { SteppedRunners } from '../../workers/serve-jobs';
import { supplyFromLog } from '../rows/reading';
import { GraphModelBuilder } from './graph-model-builder';
import type { GraphJobs } from './graph-questions';

export function serveGraph({ file }: DataFile): SteppedRunners<GraphJobs> {
  // Building them for the first graph would delay it.
  makeCommonTypes();
  const log = new LogReader(file);
  /** A large client may hold 100 MB of rows and models. */
  const { runners, readings } = new GraphModelBuilder({ listsKept: 4, log });
  const step = <K extends keyof GraphJobs>(kind: K, input: GraphJobs[K]['input']) => {
    const pending = 'pending' in input ? input.pending : undefined;
    return supplyFromLog({ reading: runners[kind](input), readings }, log, pending ?? []);
  };
  const kinds = Object.keys(runners) as (keyof GraphJobs)[];
  const stepped = kinds.map((kind) => [kind, (input: GraphJobs[typeof kind]['input']) => step(kind, input)]);
  return Object.fromEntries(stepped) as SteppedRunners<GraphJobs>;
}
