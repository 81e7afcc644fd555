import * as z from 'zod';
import { resolvedClusterStatuses } from '../../resolve/xds-config';
import { described, epochTime, limit, offset } from '../fields/query-fields';
import { parseTablePages } from '../fields/table-pages';
import { profileChoice, profileText } from '../findings/schema';

const tablePages = z.coerce
  .string<string>()
  .default('')
  .transform((text, { issues }) => {
    const pages = parseTablePages(text);
    if (pages !== undefined) return pages;
    const message = 'expected a row, or tables with a row each as in "0:100,2:200", at most 100 of them';
    issues.push({ code: 'custom', message, input: text });
    return z.NEVER;
  });

const target = described(
  z.string().min(1).max(4096).optional(),
  'The target that a gRPC client dials, as in xds:///shop; its name is the authority.',
);
const listener = described(
  z.string().max(4096).optional(),
  'Name of an API listener or a socket listener. Default: the first listener. Excludes target.',
);
const cluster = described(z.string().max(4096).optional(), 'Only the cluster of this name.');
const find = described(z.string().max(4096).default(''), 'Only clusters whose names contain this text.');

/** The start of the effective config, and the rules that apply. */
const startFields = {
  target,
  listener,
  profile: described(profileChoice.optional(), profileText),
};

export const resolvedQuery = withOneStart(
  z.object({
    ...startFields,
    offset: offset('Clusters'),
    limit: limit('clusters', { max: 1_000, otherwise: 200 }),
    find,
    cluster,
    status: described(
      z.enum([...resolvedClusterStatuses, 'failing']).optional(),
      'Only clusters of this status. failing: error, or some of the requests to it find no host.',
    ),
    endpoints: limit('endpoints of a cluster', { max: 1_000, otherwise: 100 }),
    starts: described(
      z.string().max(4096).default(''),
      'Only start listeners whose names contain this text.',
    ),
    hostsFrom: described(
      tablePages,
      'The first of the 100 listed virtual hosts of each filter chain: one number for all chains, or one for each chain, as in 0:100,2:200.',
    ),
    routesFrom: described(
      tablePages,
      'The first of the 200 listed routes of each virtual host: one number for all, or one for each chain and virtual host, as in 0.5:200,0.7:400.',
    ),
  }),
);

export const witnessesQuery = withOneStart(z.object(startFields));

export const tearsQuery = withOneStart(
  z.object({
    ...startFields,
    from: epochTime('Config tears that ended before this time are left out.'),
    to: epochTime('The end of the history that is read. Default: now.'),
    beganAfter: epochTime('Only config tears that began after this time; the earliest ones are listed.'),
    beganBefore: epochTime('Only config tears that began before this time; the latest ones are listed.'),
    limit: limit('config tears', { min: 1, max: 500 }),
  }),
);

export const failoversQuery = withOneStart(
  z.object({
    ...startFields,
    cluster,
    requests: described(
      z.string().max(100_000).optional(),
      'The id of requests to a cluster with subsets, of which `POST failover/simulate` lists the kinds. Default: all requests.',
    ),
    from: epochTime('Periods that ended before this time are left out.'),
    to: epochTime('Default: now.'),
    limit: limit('periods', { min: 1, max: 500 }),
  }),
);

export const lbTreeQuery = withOneStart(
  z.object({
    ...startFields,
    cluster: described(
      z.string().min(1).max(4096).optional(),
      'The cluster whose policies are listed. Default: the first cluster that the routes reach.',
    ),
    node: described(
      z.string().max(100_000).optional(),
      'Id of the policy that `config` describes. Default: the root.',
    ),
    find,
  }),
);

/** A target determines the listener, so a query that names both is rejected. */
function withOneStart<Shape extends z.core.$ZodLooseShape>(query: z.ZodObject<Shape>) {
  return query.refine(
    (value) => {
      const { target: named, listener: from } = value as {
        readonly target?: string;
        readonly listener?: string;
      };
      return named === undefined || from === undefined;
    },
    { error: 'expected target or listener, got both' },
  );
}
