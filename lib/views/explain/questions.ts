import * as z from 'zod';
import { parseRequest } from '../../explain/parse-request';
import type { ExplainRequest } from '../../explain/request';
import { defineCommand } from '../../questions/command';
import { defineQuestion } from '../../questions/question';
import { at, described } from '../fields/query-fields';
import { profileChoice, profileText } from '../findings/schema';
import { explainedRequest, explanation } from './schema';

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

export const explainQuestion = defineQuestion({
  summary:
    'Where the client sends a request, and why: listener, filter chain, virtual host, routes with the first condition that fails, cluster, endpoints.',
  query: z.object({
    request: described(
      requestText,
      'A request as in "GET shop.example/cart", a curl or grpcurl line, a gRPC method, or a line of an Envoy access log.',
    ),
    ...startFields,
  }),
  answer: explanation,
});

export const explainCommand = defineCommand({
  summary:
    'Where the client sends a request, and why, like GET clients/{id}/explain, for a request that is given in its parts.',
  query: z.object({ at }),
  body: z.object({
    method: z.string().min(1).max(100).default('GET'),
    scheme: explainedRequest.shape.scheme.default('http'),
    authority: z.string().max(4096).default(''),
    path: z.string().min(1).max(64_000).default('/'),
    headers: z
      .array(z.tuple([z.string().min(1).max(1_000), z.string().max(64_000)]))
      .max(1_000)
      .default([]),
    connection: z
      .object({
        destinationAddress: z.string().max(100),
        destinationPort: z.number().int().min(0).max(65_535),
        sourceAddress: z.string().max(100),
        sourcePort: z.number().int().min(0).max(65_535),
        serverName: z.string().max(1_000),
        applicationProtocols: z.array(z.string().max(100)).max(20),
      })
      .partial()
      .optional(),
    ...startFields,
  }),
  answer: explanation,
});
