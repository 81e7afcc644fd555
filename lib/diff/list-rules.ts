import type { ListRules } from './list-rule';
import { clusterLists } from './list-rules/cluster-lists';
import { listenerLists } from './list-rules/listener-lists';
import { routeLists } from './list-rules/route-lists';

/**
 * The rules of repeated fields: the keys of their elements, whether their order matters, and why. Other fields are
 * compared in their order.
 */
export const listRules: ListRules = { ...listenerLists, ...routeLists, ...clusterLists };
