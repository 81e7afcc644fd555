import { type MessagePort, parentPort } from 'node:worker_threads';
import { systemClock } from '../../../observe';
import type { RelayCommand, RelayNews } from '../tap-messages';
import { CopyQueue, type LostCopies } from './copy-queue';
import { TapListener } from './tap-listener';

const paused = 'recording was paused';
const gapReportIntervalMs = 1_000;
const queue = new CopyQueue();
const listeners = new Map<number, TapListener>();
let lost = new Map<string, LostCopies>();
let recorder: MessagePort | undefined;

setInterval(() => {
  for (const listener of listeners.values()) listener.reportGaps();
}, gapReportIntervalMs).unref();

function post(news: RelayNews): void {
  parentPort?.postMessage(news);
}

function open({ tap, settings }: Extract<RelayCommand, { kind: 'open' }>): void {
  const listener = new TapListener({
    ...settings,
    tap,
    queue,
    clock: systemClock,
    onNews: (news) => post({ kind: 'news', tap, news }),
  });
  listeners.set(tap, listener);
  listener.listen();
}

async function close(tap: number): Promise<void> {
  await listeners.get(tap)?.close();
  listeners.delete(tap);
  // This event follows the ends of the tap's streams.
  queue.push({ kind: 'tap-closed', tap });
  post({ kind: 'closed', tap });
}

function connect(port: MessagePort): void {
  const isFirst = recorder === undefined;
  recorder = port;
  port.on('message', () => queue.acknowledge());
  queue.connect((batch, transfer) => port.postMessage(batch, transfer));
  if (!isFirst) for (const listener of listeners.values()) listener.renew(lost);
  lost = new Map();
}

function disconnect(): void {
  recorder?.close();
  lost = queue.disconnect();
}

function run(command: RelayCommand): void | Promise<void> {
  switch (command.kind) {
    case 'open':
      return open(command);
    case 'pause':
      return listeners.get(command.tap)?.pause(paused);
    case 'resume':
      return listeners.get(command.tap)?.resume();
    case 'close':
      return close(command.tap);
    case 'recorder':
      return connect(command.port);
    case 'recorder-lost':
      return disconnect();
  }
}

parentPort?.on('message', run);
