import type { ListRules } from './list-rule';
import { clusterLists } from './list-rules/cluster-lists';
import { listenerLists } from './list-rules/listener-lists';
import { routeLists } from './list-rules/route-lists';

/**
 * The one table of repeated fields: what reports their elements apart, whether their order means anything, and why. A field
 * that is not in it is compared in its order.
 */
export const listRules: ListRules = { ...listenerLists, ...routeLists, ...clusterLists };
