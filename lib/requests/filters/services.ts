import { FieldReader } from '../../model/field-reader';
import type { Denied } from './denied';
import type { EvaluateFilter, FilterDecision, FilterRequest } from './filter-decision';
import { passes } from './filter-decision';
import { decideExtAuthz, findFork } from './forks';
import { statusOf } from './status-code';

type Configs = Pick<FilterRequest, 'config' | 'overrides'>;

/**
 * What filters do whose external service cannot be called. Measured with Envoy 1.40.0, of a cluster that does not exist, that
 * has no host, and whose host accepts no connection: each call fails, and the filter answers as follows or lets the request pass.
 */
const failures: Readonly<Record<string, (of: Configs, why: string) => FilterDecision | undefined>> = {
  /** "failure_mode_allow: ... accept client request even if the communication with the authorization service has failed". */
  ext_authz: ({ config }, why) => {
    if (['filterEnabled', 'filterEnabledMetadata'].some((field) => config.has(field))) return undefined;
    return config.boolean('failureModeAllow')
      ? passes(`${why}, and failure_mode_allow lets the request pass`)
      : {
          ...{ kind: 'answers', reason: `${why}, and failure_mode_allow is not set` },
          answer: { status: statusOf(config.object('statusOnError'), 403), flag: 'UAEX' },
        };
  },
  ext_proc: ({ config, overrides }, why) => {
    // It need not be called for the headers of the request.
    if (overrides.length > 0 || config.has('processingMode') || config.boolean('observabilityMode'))
      return undefined;
    return config.boolean('failureModeAllow')
      ? passes(`${why}, and failure_mode_allow lets the request pass`)
      : {
          ...{ kind: 'answers', reason: `${why}, and failure_mode_allow is not set` },
          answer: { status: statusOf(config.object('statusOnError'), 500) },
        };
  },
  ratelimit: ({ config }, why) => {
    if (config.has('failureModeDenyPercent')) return undefined;
    return config.boolean('failureModeDeny')
      ? {
          ...{ kind: 'depends', reason: `${why}: a request with a rate limit fails (failure_mode_deny)` },
          answer: { status: statusOf(config.object('statusOnError'), 500), flag: 'RLSE' },
        }
      : passes(`${why}, and without failure_mode_deny the request passes`);
  },
};

const evaluators: Readonly<Record<string, EvaluateFilter | undefined>> = { ext_authz: decideExtAuthz };

/** What a filter of this kind does that asks an external service; undefined: it asks none. */
export function findService(kind: string): EvaluateFilter | undefined {
  const [fail, usual] = [failures[kind], evaluators[kind] ?? findFork(kind)];
  if (fail === undefined || usual === undefined) return undefined;
  return (of) => {
    const decision = usual(of);
    const cluster = clusterOfService(of);
    const why = decision.kind === 'depends' && cluster !== '' ? of.whyFails(cluster) : '';
    return why === '' ? decision : (fail(of, `its service cannot be called: ${why}`) ?? decision);
  };
}

/**
 * The requests that an HTTP filter denies because its service cannot be called; undefined: its service is not known to fail. `config`:
 * in proto3 JSON.
 */
export function deniedByService(
  config: Readonly<Record<string, unknown>> | undefined,
  whyFails: FilterRequest['whyFails'],
): (Denied & { readonly service: string }) | undefined {
  const of = { config: FieldReader.open(config ?? {}, []), overrides: [] };
  const [, kind = ''] = /\.http\.(ext_authz|ext_proc)\./.exec(of.config.messageName()) ?? [];
  const cluster = clusterOfService(of);
  const why = cluster === '' ? '' : whyFails(cluster);
  const decision = why === '' ? undefined : failures[kind]?.(of, `its service cannot be called: ${why}`);
  if (decision === undefined) return undefined;
  return decision.kind === 'answers'
    ? { denied: `denies all requests: ${decision.reason}`, deniesAll: true, service: cluster }
    : { denied: '', service: cluster };
}

/** Empty: it is not known. */
function clusterOfService({ config, overrides }: Configs): string {
  const own = overrides.map((each) => serviceIn(each.object('checkSettings'))).find((name) => name !== '');
  return own ?? serviceIn(config.object('rateLimitService') ?? config);
}

function serviceIn(config: FieldReader | undefined): string {
  const http = config?.object('httpService');
  const uri = http?.object('serverUri') ?? http?.object('httpService')?.object('httpUri');
  return (
    config?.object('grpcService')?.object('envoyGrpc')?.string('clusterName') ||
    (uri?.string('cluster') ?? '')
  );
}
