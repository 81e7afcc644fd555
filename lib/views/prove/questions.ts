import { defineCommand } from '../../questions/command';
import { proof, proveRequest } from './schema';

export const proveCommand = defineCommand({
  summary:
    'Sends a request through a real Envoy or gRPC client on loopback that has the config of the client, and states what the program did with it, and every part of the config that was changed for that.',
  body: proveRequest,
  answer: proof,
  cost: 'question',
  hasWholeTexts: true,
});
