import { createServer } from 'node:net';

/** Above the ports of labs. */
const firstPort = 28_200;
/** Below the ports that the system gives to connections, which could take a port before its server listens, or listens again. */
const endPort = 32_000;

let next = firstPort + Math.floor(Math.random() * (endPort - firstPort));

/** Returns a port of 127.0.0.1 on which nothing listens, and a different one at each call until all were used. */
export async function freePort(): Promise<number> {
  for (let tried = firstPort; tried < endPort; tried += 1) {
    const port = next;
    next = port + 1 < endPort ? port + 1 : firstPort;
    if (await isFree(port)) return port;
  }
  throw new Error(`expected a free port from ${firstPort} to ${endPort - 1}, got none`);
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(false) : reject(error),
    );
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
