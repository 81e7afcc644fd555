import type { Socket } from 'node:net';
import type { TapCounters } from '../tap-counters';

/** Relays what is not HTTP/2, such as REST-JSON over HTTP/1.1, byte by byte and without recording it. */
export function relayBytes(near: Socket, far: Socket, counters: TapCounters): void {
  counters.connections(1);
  near.once('close', () => counters.connections(-1));
  for (const [from, to, direction] of [
    [near, far, 'up'],
    [far, near, 'down'],
  ] as const) {
    from.on('data', (bytes: Buffer) => counters.bytes(direction, bytes.length));
    from.on('error', () => to.destroy());
    from.on('close', () => to.destroySoon());
    from.pipe(to);
  }
}
