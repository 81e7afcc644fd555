import { ManagedWorker, type WorkerProgram } from './managed-worker';
import { nextTurn } from './threads/in-slices';

interface WorkerMessagesOptions<Message, Command> {
  readonly program: WorkerProgram;
  /** The work of the worker, as in "reading the file", for messages of failures. */
  readonly doing: string;
  /** Returns the command to post after a message was handled, or undefined for none. */
  readonly acknowledgementOf: (message: Message) => Command | undefined;
  /** Returns whether `next` replaces `last`, which has not been read yet. */
  readonly replaces?: (next: Message, last: Message) => boolean;
  /** Aborting it ends the worker; the reader receives its reason. */
  readonly signal?: AbortSignal;
  /** Ends the worker with its error if it rejects. */
  readonly input?: Promise<unknown> | undefined;
}

/**
 * Yields the messages of a worker that runs once, each in its own turn of the event loop. Ends when the worker does,
 * and ends the worker if the reader leaves; throws if the worker fails.
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
