import * as z from 'zod';
import { defineQuestion } from '../../questions/question';
import { described } from '../fields/query-fields';
import { profileChoice } from '../findings/schema';
import { graph } from './schema';

export const graphQuestion = defineQuestion({
  summary: 'Listeners, routes, clusters, localities and endpoints of a client as a graph.',
  query: z.object({
    limit: described(
      z.coerce.number<number>().int().min(1).max(2_000).optional(),
      'The approximate number of nodes; further nodes are aggregated. Default: 300.',
    ),
    expand: described(z.array(z.string()).default([]), 'Id of an aggregate to expand. Repeatable.'),
    focus: described(z.string().optional(), 'Id of the node whose neighborhood is drawn.'),
    find: described(z.string().optional(), 'Search expression; matching nodes are drawn.'),
    match: described(
      z.coerce.number<number>().int().min(0).default(0),
      'The index of the match that is drawn first, beginning with 0.',
    ),
    hide: described(
      z.array(z.string()).default([]),
      'Search expression; matching nodes are removed. Repeatable.',
    ),
    resolve: described(
      z.string().optional(),
      'Name of a listener: nodes are marked by the effective config that begins there.',
    ),
    target: described(
      z.string().min(1).max(4096).optional(),
      'Instead of resolve: the target that a gRPC client dials, as in xds:///shop.',
    ),
    profile: described(profileChoice.optional(), 'The client profile whose rules decide the marks.'),
  }),
  answer: graph,
});
