import { z } from 'zod';
import type { ConvergenceQuestion } from '@/lib/view-model/convergence/convergence-question';
import type { EpochMs } from '@/lib/xds/units';
import { badRequest } from './api-error';
import { timeParameter, typeParameter } from './history-query';
import { parseInput } from './parse-input';

const text = z.string().min(1).max(4096);

const convergenceQuery = z.strictObject({
  type: typeParameter,
  resource: text.optional(),
  hash: z
    .string()
    .regex(/^[0-9a-f]{1,64}$/, 'expected the SHA-256 of a body, in hex')
    .optional(),
  version: text.optional(),
  server: text.optional(),
  from: timeParameter.optional(),
  to: timeParameter.optional(),
});

const recentQuery = z.strictObject({
  from: timeParameter.optional(),
  to: timeParameter.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(30),
});

export interface AskedExtent {
  readonly from?: EpochMs;
  readonly to?: EpochMs;
}

export function parseConvergenceQuery(
  input: unknown,
): AskedExtent & { readonly question: ConvergenceQuestion } {
  const { type: typeUrl, resource, hash, version, server, from, to } = parseInput(convergenceQuery, input);
  if ((resource === undefined) === (version === undefined)) {
    throw badRequest('resource: expected either resource or version', 'resource');
  }
  if (resource !== undefined) {
    return { question: { kind: 'resource', typeUrl, name: resource, ...(hash && { hash }) }, from, to };
  }
  return {
    question: { kind: 'version', typeUrl, version: version ?? '', ...(server && { server }) },
    from,
    to,
  };
}

export function parseRecentQuery(input: unknown): AskedExtent & { readonly limit: number } {
  return parseInput(recentQuery, input);
}
