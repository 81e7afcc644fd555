import { z } from 'zod';
import { historyKinds } from '@/lib/api/history';
import { normaliseTypeUrl, resourceTypes } from '@/lib/xds/resource-type';
import type { HistoryFilter } from '../recorder/history-query';
import { badRequest } from './api-error';
import { parseInput } from './parse-input';

const text = z.string().min(1).max(4096);
/** ISO 8601, as epoch milliseconds. */
export const timeParameter = z.iso.datetime({ offset: true }).transform((value) => Date.parse(value));

/** A type URL, or a short name as in CDS. */
export const typeParameter = text.transform((value, context) => {
  const known = resourceTypes.find((type) => type.service === value.toUpperCase());
  if (known !== undefined) return known.typeUrl;
  if (value.includes('.')) return normaliseTypeUrl(value);
  const services = resourceTypes.map((type) => type.service).join(', ');
  context.addIssue({ code: 'custom', message: `expected a type URL or one of ${services}, got "${value}"` });
  return z.NEVER;
});

const filter = {
  client: text.optional(),
  stream: text.optional(),
  source: text.optional(),
  type: z.array(typeParameter).max(64).optional(),
  kind: z.array(z.enum(historyKinds)).optional(),
  vantage: z.array(z.enum(['probe', 'tap', 'csds', 'lrs', 'dump', 'lab'])).optional(),
  resource: text.optional(),
  version: text.optional(),
  error: text.optional(),
  refused: z.literal('true').optional(),
  from: timeParameter.optional(),
  to: timeParameter.optional(),
};

const cursor = z
  .string()
  .max(100)
  .transform((value, context) => {
    const match = /^(older|newer)-(\d{1,15})$/.exec(value);
    if (match !== null) return { direction: match[1] === 'older' ? 'older' : 'newer', seq: Number(match[2]) };
    context.addIssue({
      code: 'custom',
      message: `expected a cursor of an earlier answer, got ${JSON.stringify(value)}`,
    });
    return z.NEVER;
  });

const pageQuery = z.object({
  ...filter,
  /** Without a cursor: which end of the log it begins at. */
  order: z.enum(['desc', 'asc']).default('desc'),
  limit: z.coerce.number().int().min(1).max(1_000).default(200),
  cursor: cursor.optional(),
});

const timelineQuery = z.object({
  ...filter,
  buckets: z.coerce.number().int().min(1).max(2_000).default(300),
});

/** The query parameters that may come several times. */
const repeatable = new Set(['type', 'kind', 'vantage']);

export interface HistoryPageQuery {
  readonly filter: HistoryFilter;
  readonly order: 'asc' | 'desc';
  readonly limit: number;
  /** Exclusive. */
  readonly afterSeq?: number;
  readonly beforeSeq?: number;
}

export interface HistoryTimelineQuery {
  readonly filter: HistoryFilter;
  readonly buckets: number;
}

export function parseHistoryPageQuery(parameters: URLSearchParams): HistoryPageQuery {
  const { order, limit, cursor: at, ...told } = parseInput(pageQuery, inputOf(parameters, pageQuery.shape));
  const base = { filter: filterOf(told), limit };
  if (at === undefined) return { ...base, order };
  return at.direction === 'older'
    ? { ...base, order: 'desc', beforeSeq: at.seq }
    : { ...base, order: 'asc', afterSeq: at.seq };
}

export function parseHistoryTimelineQuery(parameters: URLSearchParams): HistoryTimelineQuery {
  const { buckets, ...told } = parseInput(timelineQuery, inputOf(parameters, timelineQuery.shape));
  return { filter: filterOf(told), buckets };
}

/** A filter that is not understood must not be left out: what comes would look like the whole answer. */
function inputOf(parameters: URLSearchParams, shape: object): Record<string, string | string[]> {
  const input: Record<string, string | string[]> = {};
  for (const name of new Set(parameters.keys())) {
    if (!Object.hasOwn(shape, name)) {
      throw badRequest(`${name}: expected one of ${Object.keys(shape).join(', ')}`, name);
    }
    const values = parameters.getAll(name);
    input[name] = repeatable.has(name) ? values : (values.at(-1) ?? '');
  }
  return input;
}

type ToldFilter = z.infer<z.ZodObject<typeof filter>>;

function filterOf(told: ToldFilter): HistoryFilter {
  if (told.from !== undefined && told.to !== undefined && told.from > told.to) {
    throw badRequest('from: expected a time that is not after to', 'from');
  }
  return {
    clientId: told.client,
    streamId: told.stream,
    sourceId: told.source,
    typeUrls: told.type,
    kinds: told.kind,
    vantages: told.vantage,
    resourceName: told.resource,
    version: told.version,
    errorText: told.error,
    isRefusal: told.refused && true,
    from: told.from,
    to: told.to,
  };
}
