import type { GraphJobs } from './graph-model-builder';

export type RunGraphJob = <K extends keyof GraphJobs>(
  kind: K,
  input: GraphJobs[K]['input'],
  signal?: AbortSignal,
) => Promise<GraphJobs[K]['output']>;
