import { nextTurn } from '../threads/in-slices';
import { ManagedWorker, type WorkerProgram } from './managed-worker';

export interface WorkerMessagesOptions<Message, Command> {
  readonly program: WorkerProgram;
  /** What the worker does, as in "reading the file": its failures name it. */
  readonly doing: string;
  /** The command to post after a message was handled. undefined: none. */
  readonly acknowledgementOf: (message: Message) => Command | undefined;
  /** Whether `next` replaces `last`, which nobody has received yet. */
  readonly replaces?: (next: Message, last: Message) => boolean;
  /** Ends the worker if it is aborted; the reader receives its reason. */
  readonly signal?: AbortSignal;
  /** Ends the worker with its error if it rejects. */
  readonly input?: Promise<unknown> | undefined;
}

/**
 * The messages of a worker that runs once, each on a turn of the event loop of its own. Ends when the worker does, and ends
 * the worker if the reader leaves; throws if the worker fails.
 */
export async function* readWorkerMessages<Message, Command>(
  options: WorkerMessagesOptions<Message, Command>,
): AsyncGenerator<Message> {
  const { program, doing, acknowledgementOf, replaces, signal, input } = options;
  const waiting: Message[] = [];
  let end: { readonly error?: unknown } | undefined;
  let wake = (): void => undefined;
  const onEnd = (error?: unknown): void => {
    end ??= { error };
    wake();
  };
  const onAbort = (): void => onEnd(signal?.reason);
  const worker = new ManagedWorker<Command, Message>({
    program,
    onMessage(message) {
      const last = waiting.at(-1);
      if (last !== undefined && replaces?.(message, last)) waiting.pop();
      waiting.push(message);
      wake();
    },
    onLost: ({ reason, exitCode }) =>
      onEnd(exitCode === 0 ? undefined : new Error(`${doing} failed: ${reason}`)),
  });
  try {
    signal?.throwIfAborted();
    signal?.addEventListener('abort', onAbort);
    input?.catch(onEnd);
    worker.start();
    for (;;) {
      signal?.throwIfAborted();
      const next = waiting.shift();
      if (next !== undefined) {
        yield next;
        const acknowledgement = acknowledgementOf(next);
        if (acknowledgement !== undefined) {
          worker.post(acknowledgement);
          await nextTurn();
        }
      } else if (end !== undefined) {
        if (end.error !== undefined) throw end.error;
        return;
      } else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    signal?.removeEventListener('abort', onAbort);
    await worker.close();
  }
}
