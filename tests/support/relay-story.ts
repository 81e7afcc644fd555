import type { CopyBatch } from '@/server/collect/tap/copy-events';
import { CopyQueue } from '@/server/collect/tap/proxy/copy-queue';
import { TapListener, type TapListenerOptions } from '@/server/collect/tap/proxy/tap-listener';
import type { ListenerNews } from '@/server/collect/tap/tap-counters';
import { systemClock } from '@/server/observe';
import { insecure } from '@/server/transport/grpc/credentials-config';
import { parseTarget } from '@/server/transport/targets/target';
import { waitUntil } from './wait-until';

export interface RelayUnderTest {
  /** host:port of the tap. */
  readonly address: string;
  readonly listener: TapListener;
  readonly queue: CopyQueue;
  /** The received batches. */
  readonly batches: CopyBatch[];
  news(): ListenerNews;
}

/** Starts the proxy of a tap without threads, and receives its copies. */
export async function startRelay(
  upstream: string,
  options: Partial<TapListenerOptions> = {},
): Promise<RelayUnderTest> {
  const parsed = parseTarget(upstream);
  if (!parsed.ok) throw new Error(parsed.problem.message);
  const queue = options.queue ?? new CopyQueue();
  const batches: CopyBatch[] = [];
  queue.connect((batch) => {
    batches.push(batch);
    queue.acknowledge();
  });
  let news: ListenerNews | undefined;
  const listener = new TapListener({
    tap: 1,
    listen: { host: '127.0.0.1', port: 0, text: '127.0.0.1:0' },
    upstream: parsed.target,
    listenTls: insecure,
    upstreamTls: insecure,
    clock: systemClock,
    ...options,
    queue,
    onNews: (reported) => {
      news = reported;
    },
  });
  listener.listen();
  await waitUntil('the tap listens', () => typeof news?.address === 'string');
  return {
    address: news?.address ?? '',
    listener,
    queue,
    batches,
    news: () => {
      if (news === undefined) throw new Error('expected news of the listener, got none');
      return news;
    },
  };
}
