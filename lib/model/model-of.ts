import type { ResourceModel } from './parse-resource';

/**
 * Models are keyed by hash and type, because a cluster and its endpoints can have equal bytes (if both have only a
 * name).
 */
export type ModelOf = (hash: string, typeUrl: string) => ResourceModel | undefined;
