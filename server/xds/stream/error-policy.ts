import type { ErrorModel } from '@/lib/xds/probe-choices';
import type { ServerConfig } from './server-config';

/** What errors do to what is cached, as one server's features and the model of the client have it. */
export interface ErrorPolicy {
  readonly model: ErrorModel;
  /** gRFC A53, before A88: a deletion is not believed. */
  readonly ignoreResourceDeletion: boolean;
  /** gRFC A88: a rejection, a deletion or an error of the data drops what is cached. */
  readonly failOnDataErrors: boolean;
  /** gRFC A88: a resource that does not come is slow, and not missing. */
  readonly timerIsTransient: boolean;
}

/** Features that the model does not know yet, or not any more, have no effect. */
export function errorPolicyOf(model: ErrorModel, { features }: Pick<ServerConfig, 'features'>): ErrorPolicy {
  const isA88 = model === 'a88';
  return {
    model,
    ignoreResourceDeletion: !isA88 && features.has('ignore_resource_deletion'),
    failOnDataErrors: isA88 && features.has('fail_on_data_errors'),
    timerIsTransient: isA88 && features.has('resource_timer_is_transient_error'),
  };
}

/** gRFC A53: 15 s. gRFC A88: 30 s where the timer is a transient error. */
export function resourceTimeoutMs({ timerIsTransient }: ErrorPolicy): number {
  return timerIsTransient ? 30_000 : 15_000;
}
