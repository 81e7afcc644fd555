import { LogReader } from '../recorder/reader/log-reader';
import type { SteppedRunners } from '../workers/serve-jobs';
import { ConvergenceBuilder, type ConvergenceData, type ConvergenceJobs } from './convergence-builder';

export const serveConvergence = ({ file }: ConvergenceData): SteppedRunners<ConvergenceJobs> =>
  new ConvergenceBuilder(new LogReader(file)).runners;
