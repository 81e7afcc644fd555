import { LogReader } from '../../store/recorder/log-reader';
import type { DataFile } from '../../workers/compute';
import type { SteppedRunners } from '../../workers/serve-jobs';
import { ConvergenceBuilder, type ConvergenceJobs } from './convergence-builder';

export const serveConvergence = ({ file }: DataFile): SteppedRunners<ConvergenceJobs> =>
  new ConvergenceBuilder(new LogReader(file)).runners;
