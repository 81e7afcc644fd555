import { FieldReader } from '@/lib/model/field-reader';
import type { EvaluateFilter, FilterRequest } from '@/lib/requests/filters/filter-decision';
import type { DynamicMetadata } from '@/lib/requests/metadata';
import { type ExplainConnection, headersOf } from '@/lib/requests/request';
import { type Client, newestOf } from '@/lib/xds/profile';
import { requestOf } from '../matched-requests';

/** A filter, the configs that routes have for it from the most specific, and the request. */
export interface FilterCase {
  readonly config?: object;
  readonly overrides?: readonly object[];
  /** As in "POST shop.example/cart". */
  readonly line?: string;
  readonly headers?: readonly string[];
  readonly connection?: ExplainConnection;
  readonly manager?: object;
  readonly owners?: readonly object[];
  readonly cluster?: string;
  readonly client?: Client;
  readonly metadata?: DynamicMetadata;
  /** The clusters to which each request fails. */
  readonly failing?: readonly string[];
}

/** "passes", the status or gRPC code of the answer, or "depends" with what it may answer and its share. */
export function resultOf(evaluate: EvaluateFilter, of: FilterCase): string {
  const decision = evaluate(filterRequest(of));
  if (decision.kind === 'passes') return 'passes';
  const { status, grpcCode, flag } = decision.answer ?? {};
  const answer = [grpcCode ?? status, flag].filter((each) => each !== undefined).join(' ');
  if (decision.kind === 'answers') return answer;
  const share = decision.percent === undefined ? '' : ` ${decision.percent}%`;
  return `depends ${answer || 'on anything'}${share}`;
}

export function filterRequest({
  config = {},
  overrides = [],
  line = 'GET shop.example/cart',
  headers = [],
  connection,
  manager = {},
  owners = [{ route: {} }],
  cluster,
  client = 'envoy',
  metadata,
  failing = [],
}: FilterCase): FilterRequest {
  const open = (json: object): FieldReader => FieldReader.open(json, []);
  const request = { ...requestOf(line, ...headers), connection };
  const profile = newestOf(client);
  return {
    ...{ request, profile, find: headersOf(request, profile), cluster },
    ...(metadata && { metadata }),
    whyFails: (name) => (failing.includes(name) ? `cluster "${name}" does not exist` : ''),
    ...{
      config: open(config),
      overrides: overrides.map(open),
      owners: owners.map(open),
      manager: open(manager),
    },
    destination: {
      address: connection?.destinationAddress ?? '10.0.0.1',
      port: connection?.destinationPort ?? 80,
    },
  };
}
