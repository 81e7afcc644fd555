import { parentPort } from 'node:worker_threads';

/**
 * Returns a function that posts messages to the parent thread, and waits while `most` of them are unacknowledged. Each
 * message from the parent acknowledges one.
 */
export function createPacedSender<T>(most: number) {
  let room = most;
  let onRoom = (): void => undefined;
  parentPort?.on('message', () => {
    room += 1;
    onRoom();
  });
  return async (message: T, transfer: readonly ArrayBuffer[] = []): Promise<void> => {
    while (room === 0) {
      await new Promise<void>((resolve) => {
        onRoom = resolve;
      });
    }
    room -= 1;
    parentPort?.postMessage(message, transfer);
  };
}
