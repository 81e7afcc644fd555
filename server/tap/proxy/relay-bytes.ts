import type { Socket } from 'node:net';
import type { Direction } from '../copy-events';
import type { TapCounters } from '../tap-counters';

export interface ByteCopies {
  data(direction: Direction, bytes: Buffer): void;
  close(details: string): void;
}

/** Relays what is not HTTP/2, such as REST-JSON over HTTP/1.1, byte by byte. Each side may end before the other. */
export function relayBytes(near: Socket, far: Socket, counters: TapCounters, copies: ByteCopies): void {
  let closedBy = '';
  counters.connections(1);
  near.once('close', () => {
    counters.connections(-1);
    copies.close(closedBy);
  });
  for (const [from, to, direction] of [
    [near, far, 'up'],
    [far, near, 'down'],
  ] as const) {
    from.allowHalfOpen = true;
    from.on('data', (bytes: Buffer) => {
      counters.bytes(direction, bytes.length);
      copies.data(direction, bytes);
    });
    from.on('end', () => {
      closedBy ||= endedBy[direction];
    });
    from.on('error', () => to.destroy());
    from.on('close', () => {
      closedBy ||= endedBy[direction];
      to.destroySoon();
    });
    from.pipe(to);
  }
}

const endedBy: Readonly<Record<Direction, string>> = {
  up: 'the client closed its connection',
  down: 'the server closed the connection',
};
