import type { QueryKey } from '@tanstack/react-query';
import type { StreamTopic } from '@/lib/api/stream';
import { subjectKey } from '../_ask/client-subject';
import { queryKeys } from '../_hooks/query-keys';

/** The query keys that a topic keeps up to date. */
export function findTopicKeys(topic: StreamTopic): readonly QueryKey[] {
  switch (topic) {
    case 'fleet':
      return [queryKeys.fleet, queryKeys.events];
    case 'sources':
      return [queryKeys.sources, queryKeys.imports, queryKeys.health];
    case 'lab':
      return [queryKeys.lab];
    case 'load':
      return [queryKeys.load];
    case 'nacks':
      return [queryKeys.nacks];
    case 'history':
      return [queryKeys.historyNewest('')];
    default: {
      const clientId = topic.slice('client:'.length);
      return [subjectKey({ clientId }), queryKeys.historyNewest(clientId)];
    }
  }
}
