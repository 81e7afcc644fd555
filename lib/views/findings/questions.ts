import * as z from 'zod';
import { defineCommand } from '../../questions/command';
import { defineQuestion } from '../../questions/question';
import { described } from '../fields/query-fields';
import { clientFindings, findingsQuery, newValidation, profileChoice, validation } from './schema';

export const findingsQuestion = defineQuestion({
  summary:
    'Every rule that the resources of a client violate, and which clients reject, ignore or accept each violation.',
  query: findingsQuery,
  answer: clientFindings,
  cost: 'question',
});

export const validateDocument = defineCommand({
  summary:
    'What a client would answer to a resource, or to a document of them as JSON, YAML or text: the verdict of every profile, and at most 1,000 findings, the most severe first, with the totals. Nothing is stored.',
  query: z.object({
    profile: described(
      profileChoice.default('core'),
      'The client profile: a client, which stands for its newest profile, or a client in a range of versions as in go-1.73.',
    ),
    typeUrl: described(
      z.string().optional(),
      'The type of the document; needed only where the document does not state it.',
    ),
  }),
  body: newValidation,
  mediaTypes: ['application/json', 'application/yaml', 'application/x-yaml', 'text/plain', 'text/yaml'],
  // Large config dumps.
  maxBytes: 64 * 1024 * 1024,
  answer: validation,
  cost: 'question',
});
