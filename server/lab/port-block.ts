import { createServer } from 'node:net';

/**
 * The ports of a lab are a block, so that sources, endpoints and what the log says of them keep their names from one
 * start to the next. The management server listens on the first port of the first block where that port is free; until
 * it closes, no other lab uses the block, and several labs start at the same time without a race for ports.
 */
const firstPortOfAll = 18100;
const portsOfBlock = 100;
const maxBlocks = 100;

/** Where the parts are in the block. */
export const portOffsets = { firstClient: 1, firstBackend: 11 };

/** The first port of the block on which `listen` succeeded, and its result. Rejects with the error of the last block. */
export async function listenOnBlock<T>(
  listen: (port: number) => Promise<T>,
): Promise<{ readonly firstPort: number; readonly result: T }> {
  for (let block = 0; ; block += 1) {
    const firstPort = firstPortOfAll + block * portsOfBlock;
    try {
      return { firstPort, result: await listen(firstPort) };
    } catch (error) {
      if (block === maxBlocks - 1) throw error;
    }
  }
}

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
