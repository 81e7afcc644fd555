import type { ErrorModel } from '@/lib/xds/probe-choices';
import type { ServerConfig } from '../../../transport/bootstrap/server-config';

/** The effect of errors on cached resources, by the features of a server and the client's error model. */
export interface ErrorPolicy {
  readonly model: ErrorModel;
  /** gRFC A53, before A88: a deletion is ignored. */
  readonly ignoreResourceDeletion: boolean;
  /** gRFC A88: a rejection, a deletion or a data error drops the cached resource. */
  readonly failOnDataErrors: boolean;
  /** gRFC A88: a resource whose timer has expired is late, and not absent. */
  readonly timerIsTransient: boolean;
}

/** Features of the other error model have no effect. */
export function errorPolicyOf(model: ErrorModel, { features }: Pick<ServerConfig, 'features'>): ErrorPolicy {
  const isA88 = model === 'a88';
  return {
    model,
    ignoreResourceDeletion: !isA88 && features.has('ignore_resource_deletion'),
    failOnDataErrors: isA88 && features.has('fail_on_data_errors'),
    timerIsTransient: isA88 && features.has('resource_timer_is_transient_error'),
  };
}

/** gRFC A53: the timer is 15 s. gRFC A88: it is 30 s if it is a transient error. */
export function resourceTimeoutMs({ timerIsTransient }: ErrorPolicy): number {
  return timerIsTransient ? 30_000 : 15_000;
}
