import { BroadcastChannel } from 'node:worker_threads';

interface ThreadMemory {
  readonly thread: string;
  readonly heapTotal: number;
  readonly heapUsed: number;
  readonly external: number;
}

/** A thread that does not answer until then is busy, and left out. */
const waitMs = 1_000;
const mb = (bytes: number): string => (bytes / 2 ** 20).toFixed(0);

/** What is in memory, by thread: its heap, as it is reserved and as it is used, and what it holds outside of that. */
export async function memoryParts(): Promise<string> {
  const { rss, ...own } = process.memoryUsage();
  const reported: ThreadMemory[] = [{ thread: 'main', ...own }];
  const channel = new BroadcastChannel('bench-memory');
  channel.onmessage = (message) => {
    const { data } = message as { readonly data: ThreadMemory | 'tell' };
    if (data !== 'tell') reported.push(data);
  };
  channel.postMessage('tell');
  await new Promise((resolve) => setTimeout(resolve, waitMs));
  channel.close();
  const heaps = reported.reduce((sum, { heapTotal, external }) => sum + heapTotal + external, 0);
  const parts = reported.map(
    ({ thread, heapTotal, heapUsed, external }) =>
      `${thread} heap ${mb(heapTotal)} (used ${mb(heapUsed)}) + ${mb(external)}`,
  );
  return `${mb(rss)} MB: ${[...parts, `the rest ${mb(rss - heaps)}`].join(', ')}`;
}
