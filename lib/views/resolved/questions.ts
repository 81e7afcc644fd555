import * as z from 'zod';
import { defineQuestion } from '../../questions/question';
import { described, limit, offset } from '../fields/query-fields';
import { resolvedQuery, tearsQuery, witnessesQuery } from './query';
import { referenceKinds, references, resolved, witnesses } from './schema';
import { tears } from './tears-schema';

export const referencesQuestion = defineQuestion({
  summary:
    'References to resources that the client does not have (dangling), resources that no listener leads to (orphan), or clusters to which the client subscribes although no route names them (dynamic).',
  query: z.object({
    kind: described(z.enum(referenceKinds), 'Which of the lists.'),
    offset: offset('References'),
    limit: limit('references', { max: 1_000, otherwise: 200 }),
  }),
  answer: references,
});

export const resolvedQuestion = defineQuestion({
  summary:
    'The effective config that a client derives from its resources (gRFC A74), or the resources that it still waits for.',
  query: resolvedQuery,
  answer: resolved,
});

export const witnessesQuestion = defineQuestion({
  summary:
    'A request for each route that its own matcher matches (a witness), and the route that takes it: the proof that requests reach a route, or that none do.',
  query: witnessesQuery,
  answer: witnesses,
});

export const tearsQuestion = defineQuestion({
  summary:
    'Config tears (gRFC A74): when resources in use did not fit together, and the effect on two kinds of clients.',
  query: tearsQuery,
  answer: tears,
  cost: 'question',
});
