import type { LookupAddress } from 'node:dns';
import { createServer as createHttp2Server, type ServerHttp2Session } from 'node:http2';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '@/server/observe';
import { noSecurity, openChannelSecurity } from '@/server/transport/grpc/channel-security';
import { describeError } from '@/server/transport/grpc/explain-error';
import { Http2Connection } from '@/server/transport/grpc/http2-connection';
import { DialRejectedError, dialOptions, type Resolve } from '@/server/transport/targets/dial-options';
import { setAllowedTargets } from '@/server/transport/targets/dial-policy';
import { parseTarget, type Target } from '@/server/transport/targets/target';

let server: Server;
let port: number;
let connections: number;

beforeEach(async () => {
  connections = 0;
  server = createServer((socket) => {
    connections += 1;
    socket.on('error', () => socket.destroy());
    socket.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterEach(async () => {
  setAllowedTargets([]);
  await new Promise((resolve) => server.close(resolve));
});

function targetOf(host: string): Target {
  return { host, port, text: `${host}:${port}` };
}

/** The n-th look-up returns the n-th list of addresses. */
function resolverOf(...answers: (readonly string[])[]): Resolve & { lookups: () => number } {
  let lookups = 0;
  const resolve: Resolve = (_host, callback) => {
    const found = answers[lookups] ?? [];
    lookups += 1;
    const addresses: LookupAddress[] = found.map((address) => ({
      address,
      family: address.includes(':') ? 6 : 4,
    }));
    callback(null, addresses);
  };
  return Object.assign(resolve, { lookups: () => lookups });
}

/** The address of the connection, or its error. */
function dialled(target: Target, resolve?: Resolve): Promise<string | Error> {
  return new Promise((settle) => {
    const socket = connect(dialOptions(target, resolve));
    socket.once('connect', () => {
      settle(socket.remoteAddress ?? '');
      socket.destroy();
    });
    socket.once('error', settle);
  });
}

describe('dialOptions', () => {
  it('dials the address that was checked, and resolves once', async () => {
    const resolve = resolverOf(['127.0.0.1'], ['169.254.169.254']);
    expect(await dialled(targetOf('rebind.example'), resolve)).toBe('127.0.0.1');
    expect(resolve.lookups()).toBe(1);
    const rejected = await dialled(targetOf('rebind.example'), resolve);
    expect(rejected).toBeInstanceOf(DialRejectedError);
    expect(connections).toBe(1);
  });

  it('dials only the allowed addresses of a name', async () => {
    const resolve = resolverOf(['fe80::1', '169.254.169.254', '127.0.0.1']);
    expect(await dialled(targetOf('mixed.example'), resolve)).toBe('127.0.0.1');
  });

  it('rejects an address without a look-up', () => {
    const resolve = resolverOf();
    expect(() => dialOptions(targetOf('169.254.169.254'), resolve)).toThrow(DialRejectedError);
    expect(resolve.lookups()).toBe(0);
  });

  it('reports the target, its address, the rule and how to allow it', async () => {
    const target = { host: 'metadata.google.internal', port: 80, text: 'metadata.google.internal:80' };
    const resolve = resolverOf(['169.254.169.254']);
    const error = await dialled(target, resolve);
    const details = error instanceof Error ? error.message : '';
    expect(describeError({ code: 14, details }, { target, service: 'CSDS', deadlineMs: 1 })).toEqual({
      code: 'TARGET_NOT_ALLOWED',
      message:
        'metadata.google.internal:80: expected an address that may be dialled, got 169.254.169.254 from the resolver: ' +
        'addresses of metadata services (169.254.169.254/32) are rejected',
      hint: 'To allow it, start xdscope with --allow-target 169.254.169.254, or list it in allowTargets of the config file.',
    });
  });

  it('passes on an error of the resolver', async () => {
    const resolve: Resolve = (_host, callback) =>
      callback(Object.assign(new Error('getaddrinfo ENOTFOUND x'), { code: 'ENOTFOUND' }), []);
    expect(await dialled(targetOf('x'), resolve)).toMatchObject({ code: 'ENOTFOUND' });
  });

  it('fails if the resolver finds no address', async () => {
    expect(await dialled(targetOf('x'), resolverOf([]))).toMatchObject({
      message: 'ENOTFOUND: x has no address',
    });
  });

  const spellings = [
    '2852039166',
    '0xa9fea9fe',
    '0XA9FEA9FE',
    '025177524776',
    '0251.0376.0251.0376',
    '0xa9.0xfe.0xa9.0xfe',
    '169.254.43518',
    '169.16689662',
    '169.254.169.0xfe',
    '169.254.169.0376',
    '0xa9.254.0251.254',
    '00169.254.169.254',
    '169.254.169.254.',
    '[::ffff:169.254.169.254]',
    '[::ffff:a9fe:a9fe]',
    '[64:ff9b::169.254.169.254]',
    '[fe80::1%lo]',
    '0',
    '0.0.0.0',
    '[::]',
  ];
  it.each(spellings)('%s is rejected by parseTarget() or after the look-up of the system', async (host) => {
    const parsed = parseTarget(`${host}:80`);
    const bare = host.replace(/^\[|\]$/g, '');
    // The look-up is tested as if the parser had accepted the spelling.
    const target = parsed.ok ? parsed.target : { host: bare, port: 80, text: `${host}:80` };
    const outcome = await Promise.resolve()
      .then(() => dialled(target))
      .catch((error: Error) => error);
    if (outcome instanceof DialRejectedError) return;
    // Some resolvers do not accept all of these spellings.
    expect(parsed.ok).toBe(false);
    expect(outcome).toMatchObject({ syscall: 'getaddrinfo' });
  });
});

describe('Http2Connection', () => {
  it('checks the addresses of a name for each connection', async () => {
    const sessions: ServerHttp2Session[] = [];
    const http2 = createHttp2Server().on('session', (session) => sessions.push(session));
    await new Promise<void>((resolve) => http2.listen(0, '127.0.0.1', resolve));
    const { port: http2Port } = http2.address() as AddressInfo;
    const target = { host: 'rebind.example', port: http2Port, text: `rebind.example:${http2Port}` };
    const resolve = resolverOf(['127.0.0.1'], ['169.254.169.254'], ['127.0.0.1']);
    const security = openChannelSecurity(noSecurity, systemClock);
    const connection = new Http2Connection(target, security, { resolve });
    try {
      const first = connection.use();
      const session = await first.session;
      const closed = new Promise<void>((settle) => session.once('close', () => settle()));
      for (const each of sessions) each.destroy();
      await closed;
      first.release();
      const second = connection.use();
      await expect(second.session).rejects.toThrow(DialRejectedError);
      second.release();
      expect(sessions).toHaveLength(1);
      const third = connection.use();
      await third.session;
      third.release();
      expect(sessions).toHaveLength(2);
    } finally {
      connection.close();
      for (const each of sessions) each.destroy();
      await new Promise((settle) => http2.close(settle));
    }
  });
});
