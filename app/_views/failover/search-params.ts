import { createParser, parseAsBoolean, parseAsString } from 'nuqs/server';
import type { ClientQuery } from '@/app/_ask/client-question';
import { omitEmpty } from '@/app/_ask/query-text';
import { param, resolveStartOf, startParams, type ViewQuery } from '../client/search-params';

/** A second of a simulation, which lasts an hour at most. */
const parseAsSecond = createParser({
  parse: (text) => (/^\d{1,4}$/.test(text) ? Math.min(3_600, Number(text)) : null),
  serialize: String,
});

export const failoverParams = {
  ...startParams,
  /** The id of the requests to a cluster with subsets. */
  requests: param(parseAsString, ''),
  /** The changes of the simulation, by formatChangesText(). */
  changes: param(parseAsString, ''),
  second: param(parseAsSecond, 0),
  /** Shows the rules of the other kind of client (gRPC, Envoy) beside those of the client. */
  both: param(parseAsBoolean, false),
  /** Id of the LB policy whose config is shown. */
  policy: param(parseAsString, ''),
};
type FailoverViewQuery = ViewQuery<typeof failoverParams>;

function clusterQueryOf(query: FailoverViewQuery) {
  return { ...resolveStartOf(query), ...omitEmpty({ cluster: query.cluster }) };
}

/** The requests of an id, empty for all. Changes refer to the endpoints that the earlier ones could reach, so that there are none. */
export function requestsOf(id: string) {
  return { requests: id, changes: '', second: 0, policy: '' };
}

/** The requests whose shares are shown. */
export function trafficQueryOf(query: FailoverViewQuery) {
  return { ...clusterQueryOf(query), ...omitEmpty({ requests: query.requests }) };
}

export function lbTreeQueryOf(query: FailoverViewQuery): ClientQuery<'lb-tree'> {
  return { ...clusterQueryOf(query), ...omitEmpty({ node: query.policy }) };
}
