import * as z from 'zod';
import { defineCommand } from '../../questions/command';
import { described } from '../fields/query-fields';
import { newValidation } from '../findings/schema';
import { check } from './schema';

export const checkDocument = defineCommand({
  summary:
    'What the clients of the fleet would answer to resources before they are pushed: a verdict for each resource and each client profile of the fleet, references that lead to nothing, and what would change at a client. Nothing is stored.',
  query: z.object({
    client: described(
      z.string().min(1).max(4_096).optional(),
      'The client whose config the resources are compared with, as if a control plane sent them to it beside what it has.',
    ),
    typeUrl: described(
      z.string().max(1_000).optional(),
      'The type of the document; needed only where the document does not state it.',
    ),
    whole: described(
      z.enum(['true', 'false']).default('false'),
      'true: the input is everything that the server has of its types. Listeners and clusters of the client that the input lacks are removed, as by a state-of-the-world response that lacks them.',
    ),
    ask: described(
      z.enum(['true', 'false']).default('false'),
      'true: the Envoy of --check-envoy is asked about at most 50 of the resources, those that no rule decides first.',
    ),
    show: described(
      z.coerce.number<string>().int().min(0).optional(),
      'The index of the resource whose text is answered. Default: the first one that a client would reject.',
    ),
  }),
  body: newValidation,
  mediaTypes: [
    'application/json',
    'application/yaml',
    'application/x-yaml',
    'application/octet-stream',
    'application/x-protobuf',
    'text/plain',
    'text/yaml',
  ],
  maxBytes: 64 * 1024 * 1024,
  answer: check,
  cost: 'question',
});
