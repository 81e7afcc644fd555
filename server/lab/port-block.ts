import { createServer } from 'node:net';

/**
 * The ports of a lab are a block, so that names of sources and endpoints are the same after a restart. The management
 * server listens on the first port of the first block where that port is free. Until it closes, no other lab uses the
 * block, so several labs can start at the same time.
 */
const firstPortOfAll = 18100;
const portsOfBlock = 100;
const maxBlocks = 100;

export const portOffsets = { firstClient: 1, edgeListener: 10, firstBackend: 11 };

/** Returns the first port of the block on which `listen` succeeded, and its result, or rejects with the last error. */
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

/** Returns the usual port if it is free now, or any free port. It is not reserved, so binding it can fail. */
export async function findPort(usual: number): Promise<number> {
  return (await findFree(usual)) ?? (await findFree(0)) ?? 0;
}

/** Retries once with another port if the port was taken between the check and listening. */
export async function listenNear<T>(usual: number, listen: (port: number) => Promise<T>): Promise<T> {
  try {
    return await listen(await findPort(usual));
  } catch {
    return listen(await findPort(0));
  }
}

/** Checks a port of loopback; returns undefined if it is in use. 0 means any port. */
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
