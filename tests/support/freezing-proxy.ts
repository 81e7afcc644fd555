import { connect, createServer, type Server, type Socket } from 'node:net';

/** A TCP hop that can go silent without closing anything, as a network does whose middle is cut. */
export interface FreezingProxy {
  readonly target: string;
  /** From now on no byte passes in either direction, and no connection ends. */
  freeze(): void;
  /** What was open is cut at last; from now on new connections pass. */
  heal(): void;
  close(): void;
}

export async function startFreezingProxy(upstream: string): Promise<FreezingProxy> {
  const [host = '', port = ''] = upstream.split(':');
  const sockets = new Set<Socket>();
  let isStored = false;
  const pass = (from: Socket, to: Socket): void => {
    sockets.add(from);
    from.on('data', (bytes) => {
      if (!isStored) to.write(bytes);
    });
    from.on('close', () => {
      sockets.delete(from);
      if (!isStored) to.destroy();
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
      isStored = true;
    },
    heal() {
      cut();
      isStored = false;
    },
    close() {
      cut();
      server.close();
    },
  };
}
