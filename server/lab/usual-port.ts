import { createServer } from 'node:net';

/**
 * The lab's parts keep their ports from one start to the next, where they are free: sources, endpoints and what the log
 * says of them then keep their names. A second lab on the machine takes whatever is free.
 */
export const usualPorts = { managementServer: 18100, firstClient: 18101, firstBackend: 18111 };

/** The port, if nobody listens on it now, or any free one. Nothing reserves it; who binds it must be ready to fail. */
export async function findPort(usual: number): Promise<number> {
  return (await findFree(usual)) ?? (await findFree(0)) ?? 0;
}

/** Somebody may take the port between the look and the listening: then it is another one, once. */
export async function listenNear<T>(usual: number, listen: (port: number) => Promise<T>): Promise<T> {
  try {
    return await listen(await findPort(usual));
  } catch {
    return listen(await findPort(0));
  }
}

/** On loopback; undefined when the port is taken. 0 asks for any. */
function findFree(port: number): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(undefined);
      else reject(error);
    });
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      const bound = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => resolve(bound));
    });
  });
}
