import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ExplainRequest } from '@/lib/requests/request';
import { CertificateAuthority } from '@/server/lab/certificates/certificate-authority';
import { EchoBackends } from '@/server/lab/twin/echo-backends';
import { proxyHeader, sendRequest } from '@/server/lab/twin/send-request';

describe('the header of the PROXY protocol', () => {
  it.each([
    ['the address of the listener', {}, '10.0.0.1:80', 'PROXY TCP4 127.0.0.1 10.0.0.1 50000 80\r\n'],
    [
      'loopback for a listener at any address',
      {},
      '0.0.0.0:80',
      'PROXY TCP4 127.0.0.1 127.0.0.1 50000 80\r\n',
    ],
    [
      'the addresses of the request',
      { destinationAddress: '10.0.0.2', destinationPort: 81, sourceAddress: '10.9.9.9', sourcePort: 7 },
      '0.0.0.0:80',
      'PROXY TCP4 10.9.9.9 10.0.0.2 7 81\r\n',
    ],
    ['IPv6', { sourceAddress: 'fd00::1' }, '[::]:80', 'PROXY TCP6 fd00::1 ::1 50000 80\r\n'],
    ['nothing of two families', { sourceAddress: 'fd00::1' }, '10.0.0.1:80', undefined],
    ['nothing without a port', {}, 'internal:main', undefined],
  ])('states %s', (_, connection, listener, header) => {
    expect(proxyHeader(connection, listener)).toBe(header);
  });
});

describe('an echo backend', () => {
  const authority = new CertificateAuthority('test', () => Date.now());
  const certificate = authority.issue({});
  const backends = new EchoBackends(authority);
  let port: number;
  beforeAll(async () => {
    [port = 0] = await backends.listen(1);
  });
  afterAll(() => backends.close());

  const plain: ExplainRequest = {
    ...{ method: 'GET', scheme: 'http', authority: 'shop.example', path: '/cart', headers: [] },
  };
  const grpc: ExplainRequest = {
    ...plain,
    ...{ method: 'POST', headers: [['content-type', 'application/grpc']] },
  };

  it.each([
    ['HTTP/1.1', plain, { status: 200 }],
    ['gRPC', grpc, { status: 200, grpcStatus: '0' }],
    ['HTTP/1.1 over TLS', { ...plain, scheme: 'https' }, { status: 200 }],
    ['gRPC over TLS', { ...grpc, scheme: 'https' }, { status: 200, grpcStatus: '0' }],
    [
      'TLS with an application protocol of a mesh',
      { ...plain, scheme: 'https', connection: { applicationProtocols: ['istio'] } },
      { status: 200 },
    ],
  ] satisfies [string, ExplainRequest, object][])('answers %s', async (_, request, view) => {
    const { signal } = new AbortController();
    expect(await sendRequest(request, { port, listenerAddress: '', certificate, signal })).toEqual(view);
  });

  it('does not answer an aborted sender', async () => {
    const options = { port, listenerAddress: '', certificate, signal: AbortSignal.abort() };
    await expect(sendRequest(plain, options)).rejects.toThrow(/aborted/);
  });
});
