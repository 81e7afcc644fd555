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
