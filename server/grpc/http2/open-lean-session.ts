import type { Socket } from 'node:net';
import type { OpenSession } from '../http2-connection';
import { LeanSession } from './lean-session';

/**
 * What all sockets of this thread read into: what came is dealt with before the next read, of whichever socket it is.
 * (On Windows reads are begun before there is anything to read.)
 */
const sharedBytes = process.platform === 'win32' ? undefined : Buffer.allocUnsafeSlow(64 * 1024);
const ownBytes = 16 * 1024;

/** See LeanSession: what a call is given of a message is valid during that call alone. */
export const openLeanSession: OpenSession = (_target, dial, windowBytes) => {
  const buffer = sharedBytes ?? Buffer.allocUnsafeSlow(ownBytes);
  let session: LeanSession | undefined;
  const callback = (sizeBytes: number): boolean => {
    session?.receive(buffer.subarray(0, sizeBytes));
    return true;
  };
  const { socket, connected } = dial({ buffer, callback });
  return { socket, session: open(socket) };

  function open(dialed: Socket): Promise<LeanSession> {
    return new Promise((resolve, reject) => {
      const opened = new LeanSession({
        ...{ socket: dialed, windowBytes },
        onReady: () => resolve(opened),
      });
      session = opened;
      dialed.on('error', reject);
      opened.once('close', () => reject(new Error('Failed to connect')));
      dialed.once(connected, () => opened.begin());
    });
  }
};
