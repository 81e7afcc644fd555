import * as z from 'zod';
import { type ConnectionTexts, parseConnection } from '../../explain/parse-connection';
import { parseRequest } from '../../explain/parse-request';
import { defineCommand } from '../../questions/command';
import { defineQuestion } from '../../questions/question';
import type { ExplainRequest } from '../../requests/request';
import { at, described, limit, offset } from '../fields/query-fields';
import { profileChoice, profileText } from '../findings/schema';
import { filter } from '../fleet/schema';
import { permalinkCreated } from '../permalinks/schema';
import { fleetExplanation, sharedFleetExplanation } from './fleet-schema';
import { explainedConnection, explainedRequest, explanation } from './schema';

const startFields = {
  target: described(
    z.string().min(1).max(4096).optional(),
    'The target that a gRPC client dials, as in xds:///shop. Excludes listener.',
  ),
  listener: described(
    z.string().max(4096).optional(),
    'The listener at which the request begins. Default: the one that its authority or port names, else the first.',
  ),
  profile: described(profileChoice.optional(), profileText),
};

/** Parses a text in any form of a request. */
const requestText = z
  .string()
  .max(8_000)
  .transform((text, { issues }): ExplainRequest => {
    const parsed = parseRequest(text);
    if (parsed.ok) return parsed.request;
    issues.push({ code: 'custom', message: parsed.message, input: text });
    return z.NEVER;
  });

/** A request as a text, with its connection. */
const requestFields = {
  request: described(
    requestText,
    'A request as in "GET shop.example/cart", a curl or grpcurl line, a gRPC method, or a line of an Envoy access log.',
  ),
  source: described(
    z.string().max(200).optional(),
    'The address of the caller, as in 10.1.2.3 or 10.1.2.3:4000.',
  ),
  destination: described(
    z.string().max(200).optional(),
    'The address or the port that the caller connects to, as in 10.0.0.1:443 or :443. Default: that of the listener.',
  ),
  sni: described(
    z.string().max(1_000).optional(),
    'The server name of TLS (SNI). Default: the host of the authority.',
  ),
  alpn: described(
    z.string().max(2_000).optional(),
    'The application protocols (ALPN) that the caller offers, separated by commas, as in h2,http/1.1.',
  ),
  tls: described(
    z.enum(['yes', 'no']).optional(),
    'Whether the caller uses TLS. Default: that the scheme is https.',
  ),
};

/** Joins the request and the connection that the fields state. */
function withConnection<Query extends { readonly request: ExplainRequest } & ConnectionTexts>(
  { request, source, destination, sni, alpn, tls, ...query }: Query,
  { issues }: { readonly issues: z.core.$ZodRawIssue[] },
) {
  const parsed = parseConnection({ source, destination, sni, alpn, tls });
  if (parsed.ok) return { ...query, request: { ...request, connection: parsed.connection } };
  issues.push({ code: 'custom', message: parsed.message, path: [parsed.field], input: query });
  return z.NEVER;
}

export const explainQuestion = defineQuestion({
  summary:
    'Where the client sends a request, and why: listener, filter chain, virtual host, routes with the first condition that fails, cluster, endpoints.',
  query: z.object({ ...requestFields, ...startFields }).transform(withConnection),
  answer: explanation,
});

const fleetFields = {
  q: filter,
  at,
  group: described(
    z.string().max(100).optional(),
    'The id of a group of the answer, whose clients are listed. Default: none.',
  ),
  offset: offset('Clients of the group'),
  limit: limit('clients of the group', { max: 500, otherwise: 50 }),
};

export const fleetExplainQuestion = defineQuestion({
  summary:
    'Where each client of the fleet sends a request, in groups of clients with the same outcome. An answer in which isComplete is false covers the clients explained so far: ask again for the others.',
  query: z.object({ ...requestFields, ...fleetFields }).transform(withConnection),
  answer: fleetExplanation,
  cost: 'question',
});

const requestParts = {
  method: z.string().min(1).max(100).default('GET'),
  scheme: explainedRequest.shape.scheme.default('http'),
  authority: z.string().max(4096).default(''),
  path: z.string().min(1).max(64_000).default('/'),
  headers: z
    .array(z.tuple([z.string().min(1).max(1_000), z.string().max(64_000)]))
    .max(1_000)
    .default([]),
  connection: explainedConnection.optional(),
};

export const fleetExplainCommand = defineCommand({
  summary:
    'Where each client of the fleet sends a request, like GET explain, for a request that is given in its parts.',
  body: z.object({ ...requestParts, ...fleetFields }),
  answer: fleetExplanation,
  cost: 'question',
});

export const shareFleetExplanation = defineCommand({
  summary:
    'Keep the answer of POST explain under a permalink, without the credentials of the request. All clients must be explained.',
  body: z.object({ ...requestParts, q: filter, at }),
  answer: permalinkCreated,
  cost: 'question',
});

export const sharedFleetExplanationQuestion = defineQuestion({
  summary: 'An answer of POST explain as it was when it was shared. It does not change.',
  query: z.object({}),
  answer: sharedFleetExplanation,
});

export const explainCommand = defineCommand({
  summary:
    'Where the client sends a request, and why, like GET clients/{id}/explain, for a request that is given in its parts.',
  query: z.object({ at }),
  body: z.object({ ...requestParts, ...startFields }),
  answer: explanation,
});
