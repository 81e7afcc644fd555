import * as z from 'zod';
import { defineCommand } from '../../questions/command';
import { defineQuestion } from '../../questions/question';
import { proof, proveRequest, twinClients } from './schema';

export const twinClientsQuestion = defineQuestion({
  summary: 'The gRPC clients that can prove a request: those that were registered when xdscope started.',
  query: z.strictObject({}),
  answer: twinClients,
});

export const proveCommand = defineCommand({
  summary:
    'Sends a request through a real Envoy or gRPC client on loopback that has the config of the client, and states what the program did with it, and every part of the config that was changed for that.',
  body: proveRequest,
  answer: proof,
  cost: 'question',
  hasWholeTexts: true,
});
