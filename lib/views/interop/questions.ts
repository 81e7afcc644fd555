import * as z from 'zod';
import {
  interopMatrix,
  interopRun,
  interopRunRequest,
  interopRuns,
  interopRunsStarted,
} from '../../interop/run-schema';
import { defineCommand } from '../../questions/command';
import { defineQuestion } from '../../questions/question';

export const interopRunsQuestion = defineQuestion({
  summary:
    'Runs of the gRPC xDS interop tests, the newest first, with the clients and cases that can be run.',
  query: z.strictObject({}),
  answer: interopRuns,
});

export const interopRunQuestion = defineQuestion({
  summary: 'A run of a case of the gRPC xDS interop tests: its steps, and how the client was started.',
  query: z.strictObject({}),
  answer: interopRun,
});

export const interopMatrixQuestion = defineQuestion({
  summary: 'The newest result of each case of the gRPC xDS interop tests with each version of each client.',
  query: z.strictObject({}),
  answer: interopMatrix,
});

export const startInteropRuns = defineCommand({
  summary:
    'Run cases of the gRPC xDS interop tests, one after the other, with a client that was registered when xdscope started. Sources observe the client, and the steps are recorded.',
  body: interopRunRequest,
  answer: interopRunsStarted,
  status: 202,
});

export const stopInteropRuns = defineCommand({
  summary: 'Stop the runs that wait or are under way, of all clients. They prove nothing, and are removed.',
});
