import { connect, createServer, type Server, type Socket } from 'node:net';

/** A TCP proxy that can stop forwarding without closing connections, like an interrupted network. */
export interface FreezingProxy {
  readonly target: string;
  /** Stops forwarding in both directions, and closes no connection. */
  freeze(): void;
  /** The bytes that arrived since the last freeze(), and were not forwarded. */
  droppedBytes(): number;
  /** Closes the open connections, and forwards new ones. */
  heal(): void;
  close(): void;
}

export async function startFreezingProxy(upstream: string): Promise<FreezingProxy> {
  const [host = '', port = ''] = upstream.split(':');
  const sockets = new Set<Socket>();
  let isFrozen = false;
  let droppedBytes = 0;
  const pass = (from: Socket, to: Socket): void => {
    sockets.add(from);
    from.on('data', (bytes) => {
      if (isFrozen) droppedBytes += bytes.length;
      else to.write(bytes);
    });
    from.on('close', () => {
      sockets.delete(from);
      if (!isFrozen) to.destroy();
    });
    from.on('error', () => from.destroy());
  };
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const server: Server = createServer((near) => {
    const far = connect({ host, port: Number(port) });
    pass(near, far);
    pass(far, near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    target: `127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
    freeze() {
      isFrozen = true;
      droppedBytes = 0;
    },
    droppedBytes: () => droppedBytes,
    heal() {
      cut();
      isFrozen = false;
    },
    close() {
      cut();
      server.close();
    },
  };
}
