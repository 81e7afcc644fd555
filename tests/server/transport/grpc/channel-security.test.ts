import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type Metadata, Server, ServerCredentials } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ChannelSecurity, openChannelSecurity } from '@/server/transport/grpc/channel-security';
import type { ChannelCredentialsConfig } from '@/server/transport/grpc/credentials-config';
import { type CallFailure, explainError } from '@/server/transport/grpc/explain-error';
import type { GrpcCallOptions } from '@/server/transport/grpc/grpc-call';
import { Http2Connection } from '@/server/transport/grpc/http2-connection';
import { readCredentialFile } from '@/server/transport/grpc/read-credential-file';
import type { Target } from '@/server/transport/targets/target';
import { targetOfPort } from '@/tests/support/grpc-peers';
import { ManualClock } from '@/tests/support/recorder-manual-clock';
import { TestAuthority, type TestCertificate } from '@/tests/support/test-certificates';
import { unaryCall } from '@/tests/support/unary-call';

const authority = new TestAuthority();
const localhost = authority.issue({ ip: [127, 0, 0, 1] });
const method = '/test.Echo/Say';
const asBytes = (bytes: Buffer): Buffer => bytes;

let dir: string;
let clock: ManualClock;
let closers: (() => void)[];
/** The `authorization` headers of the calls. */
let authorizations: string[];

beforeEach(() => {
  dir = mkdtempSync(path.join(os.tmpdir(), 'security-'));
  clock = new ManualClock(Date.now());
  closers = [];
  authorizations = [];
});
afterEach(() => {
  for (const close of closers) close();
  rmSync(dir, { recursive: true });
});

function write(name: string, content: string): string {
  const file = path.join(dir, name);
  writeFileSync(file, content);
  return file;
}

async function listen(credentials: ServerCredentials): Promise<Target> {
  const server = new Server();
  server.addService(
    {
      say: {
        path: method,
        requestStream: false,
        responseStream: false,
        requestSerialize: asBytes,
        requestDeserialize: asBytes,
        responseSerialize: asBytes,
        responseDeserialize: asBytes,
      },
    },
    {
      say: (
        { metadata, request }: { metadata: Metadata; request: Buffer },
        answer: (error: null, bytes: Buffer) => void,
      ) => {
        authorizations.push(...metadata.get('authorization').map(String));
        answer(null, request);
      },
    },
  );
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', credentials, (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  closers.push(() => server.forceShutdown());
  return targetOfPort(port);
}

const ssl = ({ certificate, key }: TestCertificate, clientCa?: string): ServerCredentials =>
  ServerCredentials.createSsl(
    clientCa === undefined ? null : Buffer.from(clientCa),
    [{ cert_chain: Buffer.from(certificate), private_key: Buffer.from(key) }],
    clientCa !== undefined,
  );

function tls(files: Partial<ChannelCredentialsConfig>): ChannelCredentialsConfig {
  const none = { caCertificateFile: null, certificateFile: null, privateKeyFile: null };
  return { kind: 'tls', ...none, refreshIntervalMs: 60_000, ...files };
}

function open(config: ChannelCredentialsConfig, tokenFile?: string): ChannelSecurity {
  const callCredentials =
    tokenFile === undefined ? [] : [{ kind: 'jwt_token_file' as const, file: tokenFile }];
  const security = openChannelSecurity({ credentials: config, callCredentials }, clock);
  closers.push(() => security.close());
  return security;
}

type Client = Omit<GrpcCallOptions, 'maxMessageBytes'>;

function connect(target: Target, security: ChannelSecurity, serverName?: string): Client {
  const connection = new Http2Connection(target, security, { serverName });
  closers.push(() => connection.close());
  return { connection, security, path: method };
}

async function say(client: Client): Promise<string> {
  return (await unaryCall(client, Buffer.from('hello'), 10_000)).toString();
}

/** The explanation of a call that fails. */
async function explained(target: Target, security: ChannelSecurity): Promise<unknown> {
  const client = connect(target, security);
  const failure = await say(client).then(
    () => {
      throw new Error('expected a failure, got an answer');
    },
    (error: CallFailure) => error,
  );
  return explainError(failure, {
    target,
    service: 'ADS',
    deadlineMs: 10_000,
    tls: security.tls,
  });
}

describe('a channel over TLS', () => {
  it('connects to a server whose authority is configured', async () => {
    const caCertificateFile = write('ca.pem', authority.certificate);
    const target = await listen(ssl(localhost));
    expect(await say(connect(target, open(tls({ caCertificateFile }))))).toBe('hello');
  });

  it('verifies the configured server name', async () => {
    const caCertificateFile = write('ca.pem', authority.certificate);
    const elsewhere = authority.issue({ dns: 'istiod.istio-system.svc' });
    const target = await listen(ssl(elsewhere));
    expect(await explained(target, open(tls({ caCertificateFile })))).toMatchObject({
      code: 'TLS_NAME_MISMATCH',
    });
    const serverName = 'istiod.istio-system.svc';
    expect(await say(connect(target, open(tls({ caCertificateFile, serverName }))))).toBe('hello');
    const wrong = open(tls({ caCertificateFile, serverName: 'other.svc' }));
    expect(await explained(target, wrong)).toMatchObject({ code: 'TLS_NAME_MISMATCH' });
  });

  it('sends its client certificate if the server requires one', async () => {
    const caCertificateFile = write('ca.pem', authority.certificate);
    const target = await listen(ssl(localhost, authority.certificate));
    const { certificate, key } = authority.issue({ name: 'client' });
    const certificateFile = write('cert.pem', certificate);
    const privateKeyFile = write('key.pem', key);
    const config = tls({ caCertificateFile, certificateFile, privateKeyFile });
    expect(await say(connect(target, open(config)))).toBe('hello');
  });

  it('uses a rotated certificate at the next connection after the refresh interval', async () => {
    const other = new TestAuthority('the next authority');
    const caCertificateFile = write('ca.pem', authority.certificate);
    const security = open(tls({ caCertificateFile }));
    const target = await listen(ssl(other.issue({ ip: [127, 0, 0, 1] })));
    expect(await explained(target, security)).toMatchObject({ code: 'TLS_UNKNOWN_CA' });

    write('ca.pem', other.certificate);
    expect(await explained(target, security)).toMatchObject({ code: 'TLS_UNKNOWN_CA' });
    clock.advance(60_000);
    await expect.poll(() => say(connect(target, security)).catch(String)).toBe('hello');
  });

  it('keeps the last valid pair while the files do not match, and reports the problem meanwhile', async () => {
    const caCertificateFile = write('ca.pem', authority.certificate);
    const target = await listen(ssl(localhost, authority.certificate));
    const first = authority.issue({ name: 'first' });
    const second = authority.issue({ name: 'second' });
    const certificateFile = write('cert.pem', first.certificate);
    const privateKeyFile = write('key.pem', first.key);
    const security = open(tls({ caCertificateFile, certificateFile, privateKeyFile }));
    expect(await say(connect(target, security))).toBe('hello');

    write('cert.pem', second.certificate);
    clock.advance(60_000);
    await expect.poll(() => security.tls?.problems).toHaveLength(1);
    expect(security.tls?.problems[0]).toBe(
      'TLS: expected a certificate in PEM and its own private key in the certificate and private key files, ' +
        'got no such pair; what was read before stays in use',
    );
    expect(await say(connect(target, security))).toBe('hello');

    write('key.pem', second.key);
    clock.advance(5_000);
    await expect.poll(() => security.tls?.problems).toEqual([]);
    expect(await say(connect(target, security))).toBe('hello');
  });

  it('keeps its authorities when the file is deleted', async () => {
    const caCertificateFile = write('ca.pem', authority.certificate);
    const security = open(tls({ caCertificateFile }));
    const target = await listen(ssl(localhost));
    expect(await say(connect(target, security))).toBe('hello');
    rmSync(caCertificateFile);
    clock.advance(60_000);
    await expect
      .poll(() => security.tls?.problems)
      .toEqual([
        'TLS: expected a readable CA certificate file of at most 4 MiB, got none; what was read before stays in use',
      ]);
    expect(await say(connect(target, security))).toBe('hello');
  });

  it('reads no files after it is closed', async () => {
    const security = open(tls({ caCertificateFile: write('ca.pem', authority.certificate) }));
    const target = await listen(ssl(localhost));
    await say(connect(target, security));
    security.close();
    expect(clock.waiting).toBe(0);
  });
});

describe('explainError() of a failed TLS handshake', () => {
  const caFile = (): string => write('ca.pem', authority.certificate);
  const trusting = (): ChannelSecurity => open(tls({ caCertificateFile: caFile() }));

  it('explains a certificate of an unknown authority', async () => {
    const other = new TestAuthority('other');
    const target = await listen(ssl(other.issue({ ip: [127, 0, 0, 1] })));
    expect(await explained(target, trusting())).toMatchObject({
      code: 'TLS_UNKNOWN_CA',
      message: expect.stringContaining(
        `${target.text}: its certificate is from an authority that is not trusted`,
      ),
    });
  });

  it('explains a certificate that the system roots do not verify', async () => {
    const target = await listen(ssl(localhost));
    expect(await explained(target, open(tls({})))).toMatchObject({ code: 'TLS_UNKNOWN_CA' });
  });

  it('explains a certificate for another name', async () => {
    const target = await listen(ssl(authority.issue({ dns: 'mesh.example' })));
    expect(await explained(target, trusting())).toMatchObject({
      code: 'TLS_NAME_MISMATCH',
      message: expect.stringContaining('its certificate is for other names'),
    });
  });

  it('accepts a certificate for the given server name', async () => {
    const target = await listen(ssl(authority.issue({ dns: 'mesh.example' })));
    expect(await say(connect(target, trusting(), 'mesh.example'))).toBe('hello');
  });

  it('explains a certificate that has expired, and one that is not valid yet', async () => {
    const past = { notBefore: new Date('2020-01-01'), notAfter: new Date('2021-01-01') };
    const expired = await listen(ssl(authority.issue({ ip: [127, 0, 0, 1], ...past })));
    expect(await explained(expired, trusting())).toMatchObject({ code: 'TLS_CERTIFICATE_EXPIRED' });
    const future = { notBefore: new Date('2090-01-01'), notAfter: new Date('2091-01-01') };
    const early = await listen(ssl(authority.issue({ ip: [127, 0, 0, 1], ...future })));
    expect(await explained(early, trusting())).toMatchObject({ code: 'TLS_CERTIFICATE_NOT_YET_VALID' });
  });

  it('explains a server that requires a client certificate', async () => {
    const target = await listen(ssl(localhost, authority.certificate));
    expect(await explained(target, trusting())).toMatchObject({ code: 'TLS_CLIENT_CERTIFICATE_REQUIRED' });
  });

  it('explains a server that does not trust the authority of the client certificate', async () => {
    const target = await listen(ssl(localhost, authority.certificate));
    const { certificate, key } = new TestAuthority('other').issue({ name: 'client' });
    const certificateFile = write('cert.pem', certificate);
    const privateKeyFile = write('key.pem', key);
    const security = open(tls({ caCertificateFile: caFile(), certificateFile, privateKeyFile }));
    expect(await explained(target, security)).toMatchObject({ code: 'TLS_CLIENT_CERTIFICATE_REJECTED' });
  });

  it('explains a plain-text server', async () => {
    const target = await listen(ServerCredentials.createInsecure());
    expect(await explained(target, trusting())).toEqual({
      code: 'PLAIN_TEXT_EXPECTED',
      message: `${target.text}: expected a server with TLS, got plain text`,
      hint: 'Disable TLS for this source, or use the TLS port of this server.',
    });
  });

  it('explains unusable credential files', async () => {
    const target = await listen(ssl(localhost));
    const file = write('ca.pem', 'no certificate, and hunter2');
    const problem = await explained(target, open(tls({ caCertificateFile: file })));
    expect(problem).toMatchObject({
      code: 'TLS_FILES',
      message: `${target.text}: TLS: expected certificates in PEM in the CA certificate file, got none; no connection without it`,
    });
    expect(JSON.stringify(problem)).not.toContain('hunter2');
  });
});

describe('readCredentialFile()', () => {
  it.each([
    ['a missing file', () => path.join(dir, 'nowhere'), 'ENOENT'],
    ['a folder', () => dir, 'not a regular file'],
    ['an endless device', () => '/dev/zero', 'not a regular file'],
    [
      'a pipe without a writer',
      () => {
        const pipe = path.join(dir, 'pipe');
        execFileSync('mkfifo', [pipe]);
        return pipe;
      },
      'not a regular file',
    ],
    ['a file of more than 4 MiB', () => write('large', 'x'.repeat(4 * 2 ** 20 + 1)), '4194305 bytes'],
  ])('rejects %s with the reason in the details only', async (_what, nameFile, why) => {
    const file = nameFile();
    await expect(readCredentialFile(file, 'private key')).rejects.toMatchObject({
      message: 'expected a readable private key file of at most 4 MiB, got none',
      details: `${JSON.stringify(file)}: ${why}`,
    });
  });
});

describe('a token file', () => {
  const token = (name: string, expiresInMs: number): string => {
    const part = (json: object): string => Buffer.from(JSON.stringify(json)).toString('base64url');
    const exp = Math.floor((clock.now() + expiresInMs) / 1000);
    return `${part({ alg: 'none' })}.${part({ sub: name, exp })}.c2ln`;
  };
  const secured = (tokenFile: string): ChannelSecurity =>
    open(tls({ caCertificateFile: write('ca.pem', authority.certificate) }), tokenFile);

  it('is read and sent with every call', async () => {
    const target = await listen(ssl(localhost));
    const first = token('first', 3_600_000);
    const second = token('second', 3_600_000);
    const client = connect(target, secured(write('token', `${first}\n`)));
    await say(client);
    write('token', second);
    await say(client);
    expect(authorizations).toEqual([`Bearer ${first}`, `Bearer ${second}`]);
  });

  it('may be deleted until its token expires', async () => {
    const target = await listen(ssl(localhost));
    const text = token('first', 100_000);
    const file = write('token', text);
    const client = connect(target, secured(file));
    await say(client);
    rmSync(file);
    await say(client);
    expect(authorizations).toEqual([`Bearer ${text}`, `Bearer ${text}`]);
    clock.advance(80_000);
    await expect(say(client)).rejects.toMatchObject({
      details: expect.stringContaining('expected a readable token file of at most 4 MiB, got none'),
    });
  });

  it('is rejected if it is expired or not a token, and its content is not reported', async () => {
    const target = await listen(ssl(localhost));
    const client = connect(target, secured(write('token', token('late', -1_000))));
    await expect(say(client)).rejects.toMatchObject({
      details: expect.stringContaining('got one that expired at'),
    });
    const failure = await say(client).catch((cause: CallFailure) => cause);
    if (typeof failure === 'string') throw new Error('expected a failure, got an answer');
    expect(await explainError(failure, { target, service: 'ADS', deadlineMs: 10_000 })).toMatchObject({
      code: 'TOKEN_FILE',
      message: expect.stringMatching(
        /: no call without a token: expected a token that is valid in .* expired at/,
      ),
    });
    write('token', 'hunter2');
    const error = await say(client).catch((cause: CallFailure) => cause);
    expect(error).toMatchObject({ details: expect.stringContaining('expected a JSON Web Token') });
    expect(String(error)).not.toContain('hunter2');
    expect(authorizations).toEqual([]);
  });
});
