import { createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ManagementServer } from '@/server/lab/management-server/management-server';
import { findPort, listenNear, listenOnBlock } from '@/server/lab/port-block';
import { systemClock } from '@/server/observe';

describe('listenOnBlock', () => {
  it('assigns different blocks to labs that start at the same time', async () => {
    const labs = Array.from({ length: 3 }, () => new ManagementServer({ clock: systemClock }));
    const started = await Promise.all(labs.map((lab) => listenOnBlock((port) => lab.listen(port))));
    const ports = started.map(({ firstPort }) => firstPort);
    for (const { firstPort, result } of started) expect(result).toBe(`127.0.0.1:${firstPort}`);
    expect(new Set(ports.map((port) => Math.floor(port / 100))).size).toBe(3);
    await Promise.all(labs.map((lab) => lab.close()));
  });

  it('reports the error of the last block if nothing can be bound', async () => {
    await expect(listenOnBlock(() => Promise.reject(new Error('no sockets')))).rejects.toThrow('no sockets');
  });
});

describe('listenNear', () => {
  function take(port: number): Promise<void> {
    const squatter = createServer();
    onTestFinished(() => void squatter.close());
    return new Promise((resolve) => squatter.listen(port, '127.0.0.1', resolve));
  }

  it('uses another port if the usual one is taken between the check and listening', async () => {
    const usual = await findPort(0);
    const server = new ManagementServer({ clock: systemClock });
    const asked: number[] = [];
    const target = await listenNear(usual, async (port) => {
      asked.push(port);
      if (asked.length === 1) await take(port);
      return server.listen(port);
    });
    expect(asked[0]).toBe(usual);
    expect(target).toBe(`127.0.0.1:${asked[1]}`);
    expect(asked[1]).not.toBe(usual);
    await server.close();
  });

  it('reports that nothing can be bound', async () => {
    await expect(
      listenNear(await findPort(0), () => Promise.reject(new Error('no sockets'))),
    ).rejects.toThrow('no sockets');
  });
});
