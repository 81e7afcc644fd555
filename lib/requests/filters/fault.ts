import type { FieldReader } from '../../model/field-reader';
import { readPercent } from '../../model/fractional-percent';
import { clientOf } from '../../xds/profile';
import { codeOfHttpStatus, formatStatusCode } from '../../xds/status-code';
import { matchHeader } from '../header-match';
import { matchAll } from '../match';
import { isGrpcRequest } from '../request';
import {
  type FilterAnswer,
  type FilterDecision,
  type FilterRequest,
  firstValue,
  passes,
} from './filter-decision';

/** An envoy.extensions.filters.http.fault.v3.HTTPFault; gRFC A33. */
export function decideFault(of: FilterRequest): FilterDecision {
  const config = of.overrides[0] ?? of.config;
  const applies = matchAll(conditionsOf(config, of));
  if (applies.verdict === 'no-match') return passes(`no fault: ${applies.reason}`);
  const delay = describeDelay(config.object('delay'), of);
  const abort = config.object('abort');
  if (abort === undefined) return passes(delay || 'it injects no fault');
  const answer = answerOf(abort, of);
  if (answer === undefined)
    return passes(joinReasons(delay, `it aborts no request without the header ${abortHeader}`));
  const percent = percentOf(abort, 'x-envoy-fault-abort-request-percentage', of);
  if (percent === 0) return passes(joinReasons(delay, 'it aborts 0% of requests'));
  const isLimited = config.has('maxActiveFaults') || isStatedByHeader(abort, of);
  if (applies.verdict === 'match' && percent === 100 && !isLimited)
    return {
      ...{ kind: 'answers', answer },
      reason: joinReasons(delay, `it aborts every request with ${describeAnswer(answer)}`),
    };
  const what = describeAnswer(answer);
  const why =
    applies.verdict === 'depends'
      ? `it aborts requests with ${what}: ${applies.reason}`
      : `it aborts ${percent}% of requests with ${what}${config.has('maxActiveFaults') ? ', as long as max_active_faults allows it' : ''}`;
  return {
    ...{ kind: 'depends', reason: joinReasons(delay, why), answer },
    ...(applies.verdict === 'match' && !isLimited && { percent }),
  };
}

/** Describes which requests the filter aborts, if nothing is known of them, as in "aborts 30% of requests with status 503". */
export function describeAborts(
  config: FieldReader,
  anyRequest: FilterRequest,
): { readonly text: string; readonly isAll: boolean } | undefined {
  const decision = decideFault({ ...anyRequest, config, overrides: [] });
  if (decision.kind === 'passes') return undefined;
  const percent = percentOf(config.object('abort'), '', anyRequest);
  const isConditional = decision.kind === 'depends' && decision.percent === undefined;
  const share = isConditional
    ? `${percent}% of the requests that match its conditions`
    : percent < 100
      ? `${percent}% of requests`
      : 'every request';
  const { answer = {} } = decision;
  return { text: `aborts ${share} with ${describeAnswer(answer)}`, isAll: decision.kind === 'answers' };
}

function describeAnswer({ grpcCode, status }: FilterAnswer): string {
  if (grpcCode !== undefined) return `gRPC status ${grpcCode}`;
  return status === undefined ? 'the status that a header states' : `status ${status}`;
}

const abortHeader = 'x-envoy-fault-abort-request';

/** A header that is not known states whether the request is aborted, and with which status. */
function isStatedByHeader(abort: FieldReader, { find }: FilterRequest): boolean {
  return abort.has('headerAbort') && find(abortHeader).kind === 'depends';
}

function joinReasons(...reasons: readonly string[]): string {
  return reasons.filter((each) => each !== '').join('; ');
}

function* conditionsOf(config: FieldReader, { find, profile, cluster, owners }: FilterRequest) {
  // Measured with gRPC-Go, C-core, gRPC-Java and grpc-js: gRPC evaluates none of the conditions, headers included (gRFC A33).
  if (clientOf(profile) !== 'envoy') return;
  const upstream = config.string('upstreamCluster');
  const isOpen = cluster === undefined && owners.some((owner) => owner.has('route'));
  if (upstream !== '' && upstream !== cluster)
    yield {
      ...({ verdict: isOpen ? 'depends' : 'no-match', path: 'upstreamCluster' } as const),
      reason: `the cluster of the route is ${cluster ?? (isOpen ? 'not known' : 'absent')}, and must be ${upstream}`,
    };
  const nodes = config.strings('downstreamNodes');
  const node = firstValue(find, 'x-envoy-downstream-service-node');
  if (nodes.length > 0) {
    const header = find('x-envoy-downstream-service-node');
    if (header.kind === 'depends')
      yield { verdict: 'depends', reason: header.reason, path: 'downstreamNodes' } as const;
    else if (node === undefined || !nodes.includes(node))
      yield {
        ...({ verdict: 'no-match', path: 'downstreamNodes' } as const),
        reason: `header x-envoy-downstream-service-node is ${node ?? 'absent'}, and must be ${nodes.join(' or ')}`,
      };
  }
  for (const [at, each] of config.objects('headers').entries())
    yield matchHeader(each, `headers[${at}]`, find, profile);
}

/** "The actual percentage is the minimum of the header's value and the configured percentage." */
function percentOf(fault: FieldReader | undefined, header: string, { find }: FilterRequest): number {
  const most = Math.min(100, readPercent(fault?.object('percentage')) ?? 0);
  if (!fault?.has('headerAbort') && !fault?.has('headerDelay')) return most;
  const text = firstValue(find, header);
  return text !== undefined && /^\d+$/.test(text) ? Math.min(most, Number(text)) : most;
}

/** undefined: the headers of the request state no status. */
function answerOf(abort: FieldReader, of: FilterRequest): FilterAnswer | undefined {
  const { find, profile } = of;
  const isEnvoy = clientOf(profile) === 'envoy';
  let [http, grpc] = [abort.number('httpStatus'), abort.number('grpcStatus')];
  if (isStatedByHeader(abort, of)) return isEnvoy ? { flag: 'FI' } : {};
  if (abort.has('headerAbort')) {
    http = readStatus(firstValue(find, abortHeader), 200, 599);
    grpc = readStatus(firstValue(find, 'x-envoy-fault-abort-grpc-request'), 0, 16);
  }
  if (http === undefined && grpc === undefined) return undefined;
  if (!isEnvoy)
    return { grpcCode: grpc === undefined ? codeOfHttpStatus(http ?? 0) : formatStatusCode(grpc) };
  if (http !== undefined) return { status: http, flag: 'FI' };
  // Measured: the HTTP status is 200, also if the request is no gRPC request, which gets no gRPC status.
  const grpcCode = formatStatusCode(grpc ?? 0);
  const mayBeGrpc = isGrpcRequest(find) || find('content-type').kind === 'depends';
  return { status: 200, flag: 'FI', ...(mayBeGrpc && { grpcCode }) };
}

function readStatus(text: string | undefined, least: number, most: number): number | undefined {
  const value = text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
  return value !== undefined && value >= least && value <= most ? value : undefined;
}

function describeDelay(delay: FieldReader | undefined, of: FilterRequest): string {
  if (delay === undefined) return '';
  const percent = percentOf(delay, 'x-envoy-fault-delay-request-percentage', of);
  const milliseconds = firstValue(of.find, 'x-envoy-fault-delay-request');
  const length = delay.has('headerDelay')
    ? milliseconds === undefined
      ? ''
      : `${milliseconds}ms`
    : delay.string('fixedDelay');
  return percent === 0 || length === ''
    ? ''
    : `it delays ${percent === 100 ? 'the request' : `${percent}% of requests`} by ${length}`;
}
