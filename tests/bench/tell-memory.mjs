// Loaded into each thread of a bench (--import): says how large its heap is when it is asked.
import path from 'node:path';
import { BroadcastChannel, isMainThread } from 'node:worker_threads';

const channel = new BroadcastChannel('bench-memory');
channel.unref();
channel.onmessage = ({ data }) => {
  if (data !== 'tell' || isMainThread) return;
  const { heapTotal, heapUsed, external } = process.memoryUsage();
  channel.postMessage({ thread: path.parse(process.argv[1] ?? '').name, heapTotal, heapUsed, external });
};
