import * as z from 'zod';
import { defineCommand } from '../../questions/command';
import { defineQuestion } from '../../questions/question';
import { blockRequest, configurationRequest, servingRequest, testClientPage } from './schema';

export const testClientQuestion = defineQuestion({
  summary:
    'The RPCs of a client of the gRPC xDS interop tests: by method and status, by server, and as xdscope configured them.',
  query: z.strictObject({}),
  answer: testClientPage,
});

export const countRpcBlock = defineCommand({
  summary:
    'Request the statistics of a number of RPCs of a test client (GetClientStats), and record them. The answer follows when they have ended.',
  body: blockRequest,
  cost: 'question',
});

export const configureTestClient = defineCommand({
  summary:
    'Configure the RPCs of a test client (XdsUpdateClientConfigureService): this changes what a running program does.',
  body: configurationRequest,
});

export const setTestServer = defineCommand({
  summary:
    'Set an endpoint of a test client that is a server of the interop tests to SERVING or NOT_SERVING (XdsUpdateHealthService): this changes what a running program does.',
  body: servingRequest,
});
